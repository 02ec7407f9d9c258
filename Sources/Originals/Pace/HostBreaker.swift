/// A circuit breaker for a host that does not answer, as a value without a clock.
///
/// A number of failures in a row opens it for a while. Then it admits one request at a time: a failure opens it
/// again, for twice as long, and an answer closes it. Opened too often without an answer in between, the
/// host counts as down. An error of the host's own (5xx) or a refusal (429) is an answer, but a longer row of them opens it as well.
/// The failures in a row are its whole state, so that a later run can continue from there.
package struct HostBreaker: Sendable, Hashable {
    /// The thresholds of a breaker.
    package struct Policy: Sendable, Hashable {
        /// The consecutive failures that open it.
        package var failures = 5
        /// The consecutive answers with a status of 429 or 500 to 599 that open it; so many requests are sent at most.
        package var errors = 60
        /// The time it is open, at first and at most.
        package var pause: ClosedRange<Duration> = .seconds(30) ... .seconds(600)
        /// The opening that means that the host is down.
        package var openings = 3

        /// Creates the defaults: five failures open it for 30 s, then 60 s; the third time the host is down.
        package init() {}
    }

    package let policy: Policy
    /// Requests that got no answer since the last one that did; those under way when it opened do not count.
    package private(set) var failStreak = 0
    /// Answers with a status of 429 or 500 to 599 since the last with another one.
    private var errorStreak = 0
    /// The earliest time of the next request.
    package private(set) var openUntil: Duration = .zero

    package init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// True if at most one request at a time may go, and none before ``openUntil``.
    package var isOpen: Bool { failStreak >= policy.failures }

    /// True if no further request may go to the host.
    package var isDown: Bool { failStreak >= policy.failures + policy.openings - 1 }

    /// Returns the number of requests that may run at once, of the host's `concurrency`.
    package func slots(of concurrency: Int, at now: Duration) -> Int {
        // Requests under way count before they are answered.
        guard isOpen else { return min(concurrency, max(1, policy.errors - errorStreak)) }
        return isDown || now < openUntil ? 0 : 1
    }

    /// Records a request without an answer.
    package mutating func failed(requestStarted: Duration, at now: Duration) {
        guard !isDown, !isOpen || requestStarted >= openUntil else { return }
        failStreak += 1
        guard isOpen else { return }
        let doublings = min(failStreak - policy.failures, 30)
        openUntil = now + min(policy.pause.lowerBound * (1 << doublings), policy.pause.upperBound)
    }

    /// Records an answer with a status of 429 or 500 to 599: it closes the breaker only where no such answers opened it.
    package mutating func erred(requestStarted: Duration, at now: Duration) {
        errorStreak = min(errorStreak + 1, policy.errors)
        guard errorStreak == policy.errors else {
            failStreak = 0
            return
        }
        if !isOpen { failStreak = policy.failures - 1 }
        failed(requestStarted: requestStarted, at: now)
    }

    /// Records an answer of another status.
    package mutating func answered() {
        (failStreak, errorStreak) = (0, 0)
    }

    /// Restores the failures in a row of an earlier run: a host that did not answer at its end is tried once more.
    package mutating func restore(failStreak: Int) {
        let last = policy.failures + policy.openings - 2
        self.failStreak = failStreak >= policy.failures ? last : max(failStreak, 0)
        // Whatever opened it, the one try decides.
        errorStreak = failStreak >= policy.failures ? policy.errors : 0
        openUntil = .zero
    }
}

/// The error for a host that has not answered, or only with errors of its own and refusals, for so long that no further request is
/// sent.
public struct HostDownError: Error, Sendable, CustomStringConvertible {
    /// One sentence without the host.
    public var description: String {
        "the host has not answered for too long, or only with errors (5xx) and refusals (429), and is left alone for the rest of the run"
    }
}
