import Synchronization

/// What ``HostGate`` tells of hosts that keep requests waiting, for a progress line.
extension HostGate {
    /// A host that keeps requests waiting.
    public struct Waiting: Sendable, Hashable {
        /// Why they wait.
        public enum Reason: Sendable, Hashable {
            /// The host asked to be left alone (`Retry-After`).
            case held
            /// The rate's next turn has not come.
            case rate
            /// As many requests as may run at once are running.
            case concurrency
            /// The host did not answer so often that it is left alone for a while.
            case unreachable
            /// No host answers: the network is probably gone, and is tried from time to time.
            case outage
        }

        /// The host.
        public let host: String
        /// How many requests wait.
        public let count: Int
        /// Why.
        public let reason: Reason
        /// How long until the next turn; nil where that depends on requests that run.
        public let remaining: Duration?
    }

    /// The hosts that keep requests waiting now, by name; those that are left alone too if nobody waits here.
    public var waiting: [Waiting] {
        state.withLock { state in
            let now = now()
            return state.hosts.compactMap { name, host in
                guard !host.waiters.isEmpty || host.isLeftAlone(at: now) else { return nil }
                let (reason, turn) = host.obstacle(at: now, outage: state.isOut ? state.outage : nil)
                let remaining = turn.map { max($0 - now, .zero) }
                return Waiting(host: name, count: host.waiters.count, reason: reason, remaining: remaining)
            }.sorted { $0.host < $1.host }
        }
    }
}

extension HostGateState.Host {
    /// Whether it asked for a pause, or is given one.
    fileprivate func isLeftAlone(at now: Duration) -> Bool {
        rate.heldUntil > now || (breaker?.isOpen == true && (breaker?.openUntil ?? now) > now)
    }

    /// What the requests wait for, and when that is over if time alone decides.
    fileprivate func obstacle(
        at now: Duration,
        outage: OutageDetector?
    ) -> (reason: HostGate.Waiting.Reason, turn: Duration?) {
        if let outage { return (.outage, outage.isProbing ? nil : outage.nextProbe) }
        if let breaker, breaker.isOpen {
            return (.unreachable, now < breaker.openUntil ? breaker.openUntil : nil)
        }
        var rate = rate
        if rate.heldUntil > now { return (.held, rate.nextToken(at: now)) }
        return running >= concurrency ? (.concurrency, nil) : (.rate, rate.nextToken(at: now))
    }
}
