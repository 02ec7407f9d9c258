/// The settings of retries.
public struct RetrySettings: ManifestSettings, Sendable, Equatable {
    /// Attempts to load an item, the first one included.
    public var attempts = 4
    /// The wait before the next attempt: exponential with full jitter, from the lower bound up to the upper one.
    public var backoff = Duration.seconds(1)...Duration.seconds(60)
    /// The HTTP statuses that are tried again.
    public var statuses: Set = [408, 425, 429, 500, 502, 503, 504]
    /// The treatment of failures by an answer that may change.
    public var recheck = Recheck.after(.seconds(86_400))

    /// The treatment of failures by an answer that may change.
    public enum Recheck: Sendable, Equatable {
        /// The first run after this time requests the item again.
        case after(Duration)
        /// Only `retry` requests the item again.
        case never
    }

    /// Creates the defaults.
    public init() {}

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

extension RetrySettings: ManifestObject {
    static let standard = RetrySettings()
    static let section = ManifestSection(
        "retry",
        about: [
            "Transient errors such as timeouts and resets are retried within a run, and again by the next run. An image of an "
                + "unknown type or with damaged data is not retried until its bytes change. An item that failed because of a "
                + "setting, such as `limits.maxPixels` or `network.allow`, is retried when that setting changes."
        ],
        example: .setting(#""retry": {"attempts": 6, "backoff": "500ms..30s", "statuses": [429, 503]}"#),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("attempts", "Attempts to load an item, the first one included.")
            .synonyms(["retries", "count", "maxAttempts", "tries"])
            .sets(\.attempts, as: .integer(1...100), example: 6),
        KeyName(
            "backoff",
            "The shortest and the longest wait between attempts: exponential backoff with full jitter."
        )
        .synonyms(["delay", "wait"])
        .sets(\.backoff, as: .durations, example: "500ms..30s"),
        KeyName("statuses", "The HTTP statuses that are retried.")
            .synonyms(["status", "codes", "statusCodes", "on"])
            .sets(
                \.statuses,
                as: .set(of: .integer(400...599), "array of integers, 400 to 599"),
                example: [429, 503]
            ),
        KeyName(
            "recheck",
            "The time after which a run requests an item again that failed by an answer that may change, such as HTTP 404 or data that is no image; it counts from the start of the run that asked. `\"never\"` leaves it to `nuke-batch retry`."
        )
        .synonyms(["recheckAfter", "retryAfter", "again"])
        .sets(\.recheck, as: .recheck, example: "6h"),
    ]
}

extension KeyKind where Value == RetrySettings.Recheck {
    fileprivate static var recheck: Self {
        let duration = KeyKind<Duration>.duration
        return KeyKind(
            "duration or `\"never\"`",
            schema: JSONSchema.any(duration.schema, ["const": "never"])
        ) { node in
            if case .string("never") = node.value.kind {
                .never
            } else {
                duration.read(node).map(Value.after)
            }
        } write: {
            if case .after(let time) = $0 { duration.write(time) } else { "never" }
        } show: {
            if case .after(let time) = $0 { duration.show(time) } else { "never" }
        }
    }
}
