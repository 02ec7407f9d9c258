import Synchronization

/// What ``HostGate`` learns of hosts, for a later run to go on from.
extension HostGate {
    /// What is known of a host that a later run should know as well.
    package struct Lesson: Sendable, Hashable {
        /// The host.
        package let host: String
        /// The rate to begin with, in requests a second; nil for the configured one.
        package var rate: Double?
        /// For how long from now on nothing is to be asked of it; zero or less if that is over.
        package var hold: Duration = .zero
        /// The requests in a row that got no answer.
        package var failStreak = 0
        /// Whether so many did that it is left alone for a while.
        package var isOpen = false
        /// Whether it was given up.
        package var isDown = false
    }

    /// The rate that a later run is to begin with; nil while that is the configured one.
    public func learned(host: String) -> Double? {
        state.withLock { $0.hosts[host]?.rate.learned }
    }

    /// What is known of those hosts of which anything is.
    package var lessons: [Lesson] {
        state.withLock { state in
            let now = now()
            return state.hosts.compactMap { name, host in
                var lesson = Lesson(host: name, rate: host.rate.learned)
                lesson.hold = host.rate.heldUntil - now
                if let breaker = host.breaker {
                    lesson.failStreak = breaker.failStreak
                    (lesson.isOpen, lesson.isDown) = (breaker.isOpen, breaker.isDown)
                    if breaker.isOpen, !breaker.isDown {
                        lesson.hold = max(lesson.hold, breaker.openUntil - now)
                    }
                }
                return lesson.rate != nil || lesson.hold > .zero || lesson.failStreak > 0 ? lesson : nil
            }
        }
    }

    /// Goes on from the rate that an earlier run has learned.
    public func restore(host: String, rate: Double) {
        change(host) { host, now in host.rate.restore(rate, at: now) }
    }

    /// Goes on from how often in a row an earlier run got no answer; a host that was given up is tried once more.
    package func restore(host: String, failStreak: Int) {
        change(host) { host, _ in host.breaker?.restore(failStreak: failStreak) }
    }

    /// Asks the host nothing for this long, from 0 to an hour.
    public func hold(host: String, for pause: Duration) {
        let pause = min(max(pause, .zero), RetryAfter.longest)
        change(host) { host, now in host.rate.hold(until: now + pause) }
    }

    private func change(_ host: String, _ change: (inout HostGateState.Host, Duration) -> Void) {
        update { state, now in
            state.change(host, at: now, make: { newHost(host, at: now) }) { change(&$0, now) }
        }
    }
}
