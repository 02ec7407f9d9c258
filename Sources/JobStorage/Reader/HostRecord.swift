/// The knowledge of a host that rate limiting keeps between runs.
public struct HostRecord: Hashable, Sendable {
    /// The row's ID, as in `ClaimedItem.hostID`; 0 before it is stored.
    public var hostID: Int64 = 0
    /// The name in lower case, with any port but the scheme's default; empty for files and `data:` URLs.
    public var name: String
    /// Requests per second; nil if nothing was learned.
    public var rate: Double?
    /// The time before which it gets no request, in milliseconds since 1970; 0 for no wait.
    public var notBefore: Int64 = 0
    /// The number of failures in a row.
    public var failStreak = 0
    /// The state of its circuit breaker, in the runner's words.
    public var breaker: String?

    /// Describes a host by its name; `change` sets what else is known of it.
    public init(name: String, rate: Double? = nil, _ change: (inout Self) -> Void = { _ in }) {
        (self.name, self.rate) = (name, rate)
        change(&self)
    }
}
