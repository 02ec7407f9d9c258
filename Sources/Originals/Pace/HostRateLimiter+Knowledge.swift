import Synchronization

/// The knowledge of hosts: those that keep requests waiting, an outage of the network, and what a later run can start from.
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

    /// The time since an outage of the network began; nil while there is none.
    package var outage: Duration? { state.withLock { state in state.outage?.began.map { now() - $0 } } }

    /// True if so many hosts fail, and none answers, that an outage may be the cause.
    package var isOutageSuspected: Bool { state.withLock { $0.outage?.isSuspected ?? false } }

    /// The knowledge of one host for a later run.
    package struct Lesson: Sendable, Hashable {
        /// The host.
        package let host: String
        /// The start rate, in requests a second; nil for the configured one.
        package var rate: Double?
        /// The rest of the pause that the host asked for; zero or less if it is over.
        package var hold: Duration = .zero
        /// The requests in a row that got no answer.
        package var failStreak = 0
        /// True if that many failures paused the host for a while.
        package var isOpen = false
        /// True if the host was given up.
        package var isDown = false
    }

    /// Returns the start rate for a later run; nil for the configured one.
    public func learned(host: String) -> Double? {
        state.withLock { $0.hosts[host]?.rate.learned }
    }

    /// The lessons of all hosts with anything to remember.
    package var lessons: [Lesson] {
        state.withLock { state in
            let now = now()
            return state.hosts.compactMap { name, host in
                var lesson = Lesson(host: name, rate: host.rate.learned)
                lesson.hold = host.rate.heldUntil - now
                if let breaker = host.breaker {
                    lesson.failStreak = breaker.failStreak
                    (lesson.isOpen, lesson.isDown) = (breaker.isOpen, breaker.isDown)
                }
                return lesson.rate != nil || lesson.hold > .zero || lesson.failStreak > 0 ? lesson : nil
            }
        }
    }

    /// Restores the rate that an earlier run learned.
    public func restore(host: String, rate: Double) {
        change(host) { host, now in host.rate.restore(rate, at: now) }
    }

    /// Restores the failures in a row of an earlier run; a host that was given up is tried once more.
    package func restore(host: String, failStreak: Int) {
        change(host) { host, _ in host.breaker?.restore(failStreak: failStreak) }
    }

    /// Pauses the host for this long, clamped to 0 to an hour.
    public func hold(host: String, for pause: Duration) {
        let pause = min(max(pause, .zero), RetryAfter.longest)
        change(host) { host, now in host.rate.hold(until: now + pause) }
    }

    private func change(_ host: String, _ change: (inout HostRateLimiterState.Host, Duration) -> Void) {
        update { state, now in
            state.change(host, at: now, make: { newHost(host, at: now) }) { change(&$0, now) }
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
