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

    /// The hosts that keep requests waiting now, by name.
    public var waiting: [Waiting] {
        state.withLock { state in
            let now = now()
            return state.hosts.compactMap { name, host in
                guard !host.waiters.isEmpty else { return nil }
                var rate = host.rate
                let isHeld = rate.heldUntil > now
                let isFull = host.running >= host.concurrency
                let remaining = isFull && !isHeld ? nil : max(rate.nextToken(at: now) - now, .zero)
                let reason: Waiting.Reason = isHeld ? .held : isFull ? .concurrency : .rate
                return Waiting(host: name, count: host.waiters.count, reason: reason, remaining: remaining)
            }.sorted { $0.host < $1.host }
        }
    }
}
