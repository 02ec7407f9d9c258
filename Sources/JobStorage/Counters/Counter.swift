/// A number of the job that grows over its runs, such as the requests to one host with one status.
public struct Counter: Hashable, Sendable {
    /// The name, such as `requests`.
    public let name: String
    /// The class of the host; empty for a counter without one.
    public let hostClass: String
    /// The subdivision: an error, a result, a status, or the upper bound of a bucket; empty for a counter without one.
    public let detail: String

    /// Names a counter.
    public init(_ name: String, hostClass: String = "", detail: String = "") {
        (self.name, self.hostClass, self.detail) = (name, hostClass, detail)
    }
}
