package import JobManifest
import Nuke
package import ObjectStorage

/// The limit on the requests to the bucket of a destination, which `SlowDown` lowers.
///
/// It is independent of the rate at which originals are loaded from the same bucket.
package struct BucketPacing: RequestPacing {
    /// The most requests to a bucket at once.
    package static let width = 32
    /// The pause after an answer that asks for a lower rate without saying when to come back.
    private static let pause: Duration = .seconds(1)

    private let limiter: HostRateLimiter

    /// Creates the limit that a manifest sets.
    package init(_ settings: S3Settings) {
        let rate = settings.putRate.perSecond
        // A tenth of a second's requests at once: a larger burst is what stores refuse first.
        let burst = max(1, Int(rate / 10))
        limiter = HostRateLimiter(limits: .init(rate: rate, burst: burst, concurrency: Self.width))
    }

    /// Waits until a request may be sent.
    package func begin(_ bucket: String) async throws -> any PacedRequest {
        Paced(permit: try await limiter.acquire(host: "s3://\(bucket)"))
    }

    private struct Paced: PacedRequest {
        let permit: Permit

        func end(isSlowedDown: Bool, retryAfter: Duration?) {
            permit.release(isSlowedDown ? .refused(retryAfter: retryAfter ?? BucketPacing.pause) : .answered)
        }
    }
}
