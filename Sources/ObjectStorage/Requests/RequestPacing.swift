/// A limit on the requests to each bucket, which every request asks before it is sent.
public protocol RequestPacing: Sendable {
    /// Waits until a request to `bucket` may be sent.
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    func begin(_ bucket: String) async throws -> any PacedRequest
}

/// A request that a ``RequestPacing`` has let through; it ends exactly once.
public protocol PacedRequest: Sendable {
    /// Reports the end of the request, and whether the service asked for a lower rate, after which time at the earliest.
    func end(isSlowedDown: Bool, retryAfter: Duration?)
}

/// No limit.
public struct UnlimitedPacing: RequestPacing {
    /// Creates a pacing that delays no request.
    public init() {}

    /// Returns at once.
    public func begin(_ bucket: String) async throws -> any PacedRequest { Unlimited() }

    private struct Unlimited: PacedRequest {
        func end(isSlowedDown: Bool, retryAfter: Duration?) {}
    }
}
