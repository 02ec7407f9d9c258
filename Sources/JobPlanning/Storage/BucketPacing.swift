package import JobManifest
package import Originals
package import ObjectStorage

/// The limit on the requests to each bucket, which `SlowDown` lowers: a bucket is a host of a rate limiter.
package struct BucketPacing: RequestPacing {
    /// The most requests to the bucket of a destination at once.
    package static let width = 32

    private let limiter: HostRateLimiter

    /// Paces requests with a rate limiter that others use as well.
    package init(_ limiter: HostRateLimiter) {
        self.limiter = limiter
    }

    /// Creates the limit that a manifest sets for a destination, whatever is loaded from the same bucket.
    package init(_ settings: S3Settings) {
        let rate = settings.putRate.perSecond
        // A tenth of a second's requests at once: a larger burst is what stores refuse first.
        let burst = max(1, Int(rate / 10))
        limiter = HostRateLimiter(limits: .init(rate: rate, burst: burst, concurrency: Self.width))
    }

    /// The buckets that keep requests waiting.
    package var waiting: [HostRateLimiter.Waiting] { limiter.waiting }

    /// Waits until a request may be sent.
    package func begin(_ bucket: String) async throws -> any PacedRequest {
        Paced(permit: try await limiter.acquire(host: "s3://\(bucket.lowercased())"))
    }

    private struct Paced: PacedRequest {
        let permit: Permit

        func end(isSlowedDown: Bool, retryAfter: Duration?) {
            // Without a time the rate alone is lowered, by the share of requests that are refused.
            permit.release(isSlowedDown ? .refused(retryAfter: retryAfter ?? .zero) : .answered)
        }
    }
}
