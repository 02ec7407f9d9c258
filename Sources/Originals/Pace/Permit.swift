import Synchronization

/// The permission to send one request; it ends with ``release(_:)``, or with its last reference.
public final class Permit: Sendable {
    /// The outcome of a request, as far as it says something about the host.
    public enum Outcome: Sendable {
        /// The host answered.
        case answered
        /// The host refused it for its rate (429, 503), and asks for this pause.
        case refused(retryAfter: Duration)
        /// The host answered with an error of its own (5xx), and maybe asks for a pause.
        case erred(retryAfter: Duration?)
        /// No connection, or no answer on it, through no fault of the request.
        case unreachable
        /// The host's address is unknown, since the name servers answer for no host.
        case unresolved
        /// The outcome is unknown: the answer was truncated, or the request was never sent.
        case unknown
    }

    /// The host.
    public let host: String
    let started: Duration
    private let rateLimiter: HostRateLimiter
    private let isReleased = Atomic(false)

    init(rateLimiter: HostRateLimiter, host: String, started: Duration) {
        self.rateLimiter = rateLimiter
        self.host = host
        self.started = started
    }

    deinit {
        release(.unknown)
    }

    /// Releases the permit; only the first call counts.
    public func release(_ outcome: Outcome) {
        guard !isReleased.exchange(true, ordering: .relaxed) else { return }
        rateLimiter.release(self, outcome)
    }
}
