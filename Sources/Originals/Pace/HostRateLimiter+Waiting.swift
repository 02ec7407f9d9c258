import Synchronization

/// The hosts that keep requests waiting, for a progress line.
extension HostRateLimiter {
    /// A host that keeps requests waiting.
    public struct Waiting: Sendable, Hashable {
        /// The reason for the wait.
        public enum Reason: Sendable, Hashable {
            /// The host asked for a pause (`Retry-After`).
            case held
            /// The rate limit has no token yet.
            case rate
            /// The object store refuses nearly all requests, and names no time (`SlowDown`).
            case slowedDown
            /// The limit of concurrent requests is reached.
            case concurrency
            /// Repeated failures paused the host for a while.
            case unreachable
            /// No host answers: the network is probably down, and is probed from time to time.
            case outage
        }

        /// The host.
        public let host: String
        /// The number of waiting requests.
        public let count: Int
        /// The reason.
        public let reason: Reason
        /// The time until the next turn; nil if it depends on running requests.
        public let remaining: Duration?
    }

    /// The hosts with waiting requests, by name, and those that are paused or refuse all even without any.
    public var waiting: [Waiting] {
        state.withLock { state in
            let now = now()
            return state.hosts.compactMap { name, host in
                guard !host.waiters.isEmpty || host.isLeftAlone(at: now) || host.rate.isRefusing else {
                    return nil
                }
                let (reason, turn) = host.obstacle(at: now, outage: state.isOut ? state.outage : nil)
                let remaining = turn.map { max($0 - now, .zero) }
                return Waiting(host: name, count: host.waiters.count, reason: reason, remaining: remaining)
            }.sorted { $0.host < $1.host }
        }
    }
}

extension HostRateLimiterState.Host {
    /// True if the host asked for a pause, or its breaker has opened.
    fileprivate func isLeftAlone(at now: Duration) -> Bool {
        rate.heldUntil > now || (breaker?.isOpen == true && (breaker?.openUntil ?? now) > now)
    }

    /// Returns the reason for the wait, and its end if time alone decides.
    fileprivate func obstacle(
        at now: Duration,
        outage: OutageDetector?
    ) -> (reason: HostRateLimiter.Waiting.Reason, turn: Duration?) {
        if let outage { return (.outage, outage.isProbing ? nil : outage.nextProbe) }
        if let breaker, breaker.isOpen {
            return (.unreachable, now < breaker.openUntil ? breaker.openUntil : nil)
        }
        var rate = rate
        if rate.heldUntil > now { return (.held, rate.nextToken(at: now)) }
        if rate.isRefusing { return (.slowedDown, nil) }
        return running >= concurrency ? (.concurrency, nil) : (.rate, rate.nextToken(at: now))
    }
}
