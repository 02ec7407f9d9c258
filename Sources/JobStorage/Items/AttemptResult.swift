/// The outcome of one attempt at an item.
public struct AttemptResult: Hashable, Sendable {
    /// The start, in milliseconds since 1970.
    public var started: Int64
    /// The duration in milliseconds.
    public var milliseconds: Int
    /// A word for the outcome, such as `done`, `failed`, `retry` or `interrupted`.
    public var outcome: String
    /// The error's name.
    public var error: String?
    /// The HTTP status.
    public var http: Int?
    /// The size of the loaded original in bytes.
    public var bytes: Int?
    /// One sentence about the error.
    public var detail: String?

    /// Describes an attempt; unknown values may be left out.
    public init(
        started: Int64,
        milliseconds: Int,
        outcome: String,
        error: String? = nil,
        http: Int? = nil,
        bytes: Int? = nil,
        detail: String? = nil
    ) {
        self.started = started
        self.milliseconds = milliseconds
        self.outcome = outcome
        self.error = error
        self.http = http
        self.bytes = bytes
        self.detail = detail
    }
}
