/// Distinguishes an outage of this machine's network from hosts that are down, as a value without a clock.
///
/// Many failures on many hosts within a short time, without an answer in between, are an outage if every host that answered
/// in the last ten seconds has failed since. While it lasts one request at a time is let through as a probe, at growing
/// intervals; the first answer ends it. So it is if the name servers answer for no host: hosts whose addresses are known may
/// answer meanwhile, which ends the outage until the next one whose address is not.
package struct OutageDetector: Sendable {
    /// The thresholds of an outage, and the times of its probes.
    package struct Policy: Sendable, Hashable {
        /// Failures without an answer in between.
        package var failures = 20
        /// Different hosts among them.
        package var hosts = 5
        /// The time within which they come, and for which an answer shows that the network works.
        package var window: Duration = .seconds(10)
        /// The pause after a failed probe, at first and at most.
        package var pause: ClosedRange<Duration> = .seconds(1) ... .seconds(30)
        /// The longest pause if only the name servers fail: a probe is then one query.
        package var longestNamePause: Duration = .seconds(5)

        /// Creates the defaults: 20 failures on 5 hosts within 10 s; probes after 1 s, 2 s, 4 s … 30 s.
        package init() {}
    }

    /// Longer than any request, so that the next probe is scheduled when it ends.
    private static let longestProbe: Duration = .seconds(86_400)

    package let policy: Policy
    /// The start of the outage; nil while there is none.
    package private(set) var began: Duration?
    /// The earliest time of the next probe, during an outage.
    package private(set) var nextProbe: Duration = .zero
    private var failures: [(time: Duration, host: String)] = []
    /// The times of the newest answers of hosts that have not failed since.
    private var answers: [String: Duration] = [:]
    /// The number of answers above which old ones are dropped.
    private var forgetsAbove = 64
    private var pause: Duration = .zero
    private var longestPause: Duration = .zero
    /// The start of the request that probes.
    private var probe: (host: String, started: Duration)?

    package init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// True if so many hosts fail, and none answers, that it may be an outage.
    package var isSuspected: Bool { began != nil || hostCount >= policy.hosts }

    /// Records a request without an answer.
    /// - Returns: True if that starts an outage.
    package mutating func failed(host: String, requestStarted: Duration, at now: Duration) -> Bool {
        answers[host] = nil
        guard began == nil else {
            abandoned(host: host, requestStarted: requestStarted, at: now)
            return false
        }
        failures.removeAll { now - $0.time > policy.window }
        failures.append((now, host))
        guard failures.count >= policy.failures, hostCount >= policy.hosts else { return false }
        forgetAnswers(at: now)
        // A few hosts that work among many that do not.
        guard answers.isEmpty else { return false }
        begin(at: now, longestPause: policy.pause.upperBound)
        return true
    }

    /// Records a request whose host could not be looked up, as no host can.
    /// - Returns: True if that starts an outage.
    package mutating func lostNames(host: String, requestStarted: Duration, at now: Duration) -> Bool {
        guard began == nil else {
            abandoned(host: host, requestStarted: requestStarted, at: now)
            return false
        }
        begin(at: now, longestPause: policy.longestNamePause)
        return true
    }

    private mutating func begin(at now: Duration, longestPause: Duration) {
        began = now
        self.longestPause = longestPause
        pause = policy.pause.lowerBound
        nextProbe = now + pause
        failures = []
    }

    /// Records an answered request.
    /// - Returns: True if that ends an outage.
    package mutating func answered(host: String, at now: Duration) -> Bool {
        answers[host] = now
        if answers.count > forgetsAbove { forgetAnswers(at: now) }
        failures = []
        probe = nil
        return began.take() != nil
    }

    /// True while a probe is running.
    package var isProbing: Bool { probe != nil }

    /// Returns true if a probe may start now, during an outage.
    package func mayProbe(at now: Duration) -> Bool {
        !isProbing && now >= nextProbe
    }

    /// Records the start of a probe.
    package mutating func probe(host: String, at now: Duration) {
        probe = (host, now)
        nextProbe = now + Self.longestProbe
    }

    /// Records a request without a usable outcome; if it was the probe, another one is needed.
    package mutating func abandoned(host: String, requestStarted: Duration, at now: Duration) {
        guard let probe, probe == (host, requestStarted) else { return }
        self.probe = nil
        nextProbe = now + pause
        pause = min(pause * 2, longestPause)
    }

    private mutating func forgetAnswers(at now: Duration) {
        answers = answers.filter { now - $0.value <= policy.window }
        forgetsAbove = max(64, answers.count * 2)
    }

    private var hostCount: Int {
        // There are few failures here, and only while nothing answers.
        Set(failures.map(\.host)).count
    }
}
