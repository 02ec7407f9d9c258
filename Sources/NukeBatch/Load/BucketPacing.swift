import Nuke
import ObjectStorage

/// Paces the requests to each bucket with a rate limiter, for which it is a host.
struct BucketPacing: RequestPacing {
    let rateLimiter: HostRateLimiter

    func begin(_ bucket: String) async throws -> any PacedRequest {
        PacedBucketRequest(permit: try await rateLimiter.acquire(host: "s3://\(bucket.lowercased())"))
    }
}

/// A request with a permit of its bucket.
private struct PacedBucketRequest: PacedRequest {
    /// The pause that a bucket gets which asks for a lower rate, but not for how long.
    private static let pause: Duration = .seconds(1)

    let permit: Permit

    func end(isSlowedDown: Bool, retryAfter: Duration?) {
        permit.release(isSlowedDown ? .refused(retryAfter: retryAfter ?? Self.pause) : .answered)
    }
}
