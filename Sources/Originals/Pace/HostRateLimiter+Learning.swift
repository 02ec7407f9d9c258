import Synchronization

/// The knowledge of hosts that a later run can start from.
extension HostRateLimiter {
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
