/// When a failed load is tried again.
public struct RetrySettings: Sendable, Equatable {
    /// Loads of an item in all, the first one too.
    public var attempts = 4
    /// The wait before the next attempt: exponential with full jitter, from the lower bound up to the upper one.
    public var backoff: ClosedRange<Duration> = .seconds(1) ... .seconds(60)
    /// The HTTP statuses that are tried again.
    public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.retry) else { return }
        attempts = fields["attempts"]?.integer(1...100) ?? attempts
        backoff = fields["backoff"]?.durations() ?? backoff
        statuses =
            fields["statuses"]?.elements().map { Set($0.compactMap { $0.integer(400...599) }) } ?? statuses
    }
}
