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

    /// Describes an attempt; `change` sets the values that are known besides.
    public init(
        started: Int64,
        milliseconds: Int,
        outcome: String,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        (self.started, self.milliseconds, self.outcome) = (started, milliseconds, outcome)
        change(&self)
    }
}
