/// Leaves a host alone that does not answer: a circuit breaker, as a value without a clock.
///
/// So many failures in a row open it for a while. Then one request at a time is let through: its failure opens it
/// again, for twice as long, an answer closes it. Opened once too often without an answer in between, the
/// host counts as down. The failures in a row are its whole memory, so that a later run can go on from there.
package struct HostBreaker: Sendable, Hashable {
    /// How much is borne.
    package struct Policy: Sendable, Hashable {
        /// How many failures in a row open it.
        package var failures = 5
        /// For how long it is open at first and at most.
        package var pause: ClosedRange<Duration> = .seconds(30) ... .seconds(600)
        /// The opening that means that the host is down.
        package var openings = 3

        /// Five failures open it for 30 s, then 60 s; at the third time the host is down.
        package init() {}
    }

    package let policy: Policy
    /// Requests that got no answer since the last one that did; those under way when it opened do not count.
    package private(set) var failStreak = 0
    /// No request is let through before.
    package private(set) var openUntil: Duration = .zero

    package init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// Whether at most one request at a time may go, and none before ``openUntil``.
    package var isOpen: Bool { failStreak >= policy.failures }

    /// Whether nothing is to be asked of the host any more.
    package var isDown: Bool { failStreak >= policy.failures + policy.openings - 1 }

    /// How many requests may run at once of so many that the host is asked to bear.
    package func places(of concurrency: Int, at now: Duration) -> Int {
        guard isOpen else { return concurrency }
        return isDown || now < openUntil ? 0 : 1
    }

    /// A request got no answer.
    package mutating func failed(requestStarted: Duration, at now: Duration) {
        guard !isDown, !isOpen || requestStarted >= openUntil else { return }
        failStreak += 1
        guard isOpen else { return }
        let doublings = min(failStreak - policy.failures, 30)
        openUntil = now + min(policy.pause.lowerBound * (1 << doublings), policy.pause.upperBound)
    }

    /// A request was answered, whatever the answer.
    package mutating func answered() {
        failStreak = 0
    }

    /// Goes on from the failures in a row of an earlier run: a host that was down is tried once more.
    package mutating func restore(failStreak: Int) {
        let last = policy.failures + policy.openings - 2
        self.failStreak = min(max(failStreak, 0), last)
        openUntil = .zero
    }
}
