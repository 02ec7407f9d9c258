import Originals

/// The reason why a host keeps requests waiting; the raw values are those of events and metrics.
enum WaitCause: String, CaseIterable {
    /// The host asked for a pause (`Retry-After`).
    case retryAfter = "retry_after"
    /// The rate limit has no token yet.
    case rate
    /// The limit of concurrent requests is reached.
    case concurrency
    /// An object store refuses nearly all requests.
    case slowDown = "slow_down"
    /// The host does not answer.
    case unreachable
    /// No host answers: the network is down.
    case outage

    /// The cause that a rate limiter names.
    init(_ reason: HostRateLimiter.Waiting.Reason) {
        self =
            switch reason {
            case .held: .retryAfter
            case .rate: .rate
            case .slowedDown: .slowDown
            case .concurrency: .concurrency
            case .unreachable: .unreachable
            case .outage: .outage
            }
    }
}
