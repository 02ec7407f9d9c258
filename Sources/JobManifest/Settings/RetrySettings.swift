/// The settings of retries.
public struct RetrySettings: Sendable, Equatable {
    /// Attempts to load an item, the first one included.
    public var attempts = RetryKeys.attempts.standard
    /// The wait before the next attempt: exponential with full jitter, from the lower bound up to the upper one.
    public var backoff = RetryKeys.backoff.standard
    /// The HTTP statuses that are tried again.
    public var statuses = Set(RetryKeys.statuses.standard)
    /// The treatment of failures by an answer that may change.
    public var recheck = RetryKeys.recheck.standard

    /// The treatment of failures by an answer that may change.
    public enum Recheck: Sendable, Equatable {
        /// The first run after this time requests the item again.
        case after(Duration)
        /// Only `retry` requests the item again.
        case never
    }

    /// Creates the defaults.
    public init() {}

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.retry) else { return }
        attempts = fields[RetryKeys.attempts] ?? attempts
        backoff = fields[RetryKeys.backoff] ?? backoff
        statuses = fields[RetryKeys.statuses].map(Set.init) ?? statuses
        recheck = fields[RetryKeys.recheck] ?? recheck
    }

    /// The errors by an answer that may change; a run requests these items again after a while.
    package var recheckedErrors: Set<ErrorCode> {
        let bytes: [ErrorCode] = [.empty, .truncated, .integrity, .tooLarge, .wrongType, .corrupt, .limits]
        return Set((100..<600).map(ErrorCode.http) + [.tls, .redirects] + bytes).subtracting(retryableErrors)
    }

    /// The errors that the next run retries by itself.
    package var retryableErrors: Set<ErrorCode> {
        let codes = ErrorCode.listed.filter { code in
            switch code.entry.recovery {
            case .retried, .nextRun: true
            case .byStatus, .permanent, .quarantined, .stopsRun, .putBack: false
            }
        }
        return Set(codes + statuses.map(ErrorCode.http))
    }
}
