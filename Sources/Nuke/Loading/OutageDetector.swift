/// Tells an outage of this machine's network from hosts that are down, as a value without a clock.
///
/// Many failures on many hosts within a short time, and no answer from any, are an outage. While it lasts one
/// request at a time is let through to try, at growing distances; the first answer ends it.
package struct OutageDetector: Sendable {
    /// What counts as an outage, and how it is probed.
    package struct Policy: Sendable, Hashable {
        /// Failures without an answer in between.
        package var failures = 20
        /// Different hosts among them.
        package var hosts = 5
        /// The time within which they come.
        package var window: Duration = .seconds(10)
        /// Between one probe's failure and the next probe, at first and at most.
        package var pause: ClosedRange<Duration> = .seconds(1) ... .seconds(30)

        /// 20 failures on 5 hosts within 10 s; probes after 1 s, 2 s, 4 s … 30 s.
        package init() {}
    }

    /// No request takes longer, so that the next probe is set when it ends.
    private static let longestProbe: Duration = .seconds(86_400)

    package let policy: Policy
    /// When the outage began; nil while there is none.
    package private(set) var began: Duration?
    /// When the next probe may go, during an outage.
    package private(set) var nextProbe: Duration = .zero
    private var failures: [(time: Duration, host: String)] = []
    private var pause: Duration = .zero
    /// The start of the request that probes.
    private var probe: (host: String, started: Duration)?

    package init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// Whether failures come from so many hosts, and no answers, that it may be an outage that is not certain yet.
    package var isSuspected: Bool {
        began != nil || hostCount >= policy.hosts
    }

    /// A request got no answer.
    /// - Returns: Whether that makes it an outage.
    package mutating func failed(host: String, requestStarted: Duration, at now: Duration) -> Bool {
        guard began == nil else {
            endProbe(host, requestStarted, at: now)
            return false
        }
        failures.removeAll { now - $0.time > policy.window }
        failures.append((now, host))
        guard failures.count >= policy.failures, hostCount >= policy.hosts else { return false }
        began = now
        pause = policy.pause.lowerBound
        nextProbe = now + pause
        failures = []
        return true
    }

    /// A request was answered.
    /// - Returns: Whether that ends an outage.
    package mutating func answered() -> Bool {
        failures = []
        probe = nil
        defer { began = nil }
        return began != nil
    }

    /// Whether a request that was let through to try is still on its way.
    package var isProbing: Bool { probe != nil }

    /// Whether a request may go now, during an outage.
    package func mayProbe(at now: Duration) -> Bool {
        !isProbing && now >= nextProbe
    }

    /// A request was let through to try.
    package mutating func probe(host: String, at now: Duration) {
        probe = (host, now)
        nextProbe = now + Self.longestProbe
    }

    /// A request ended of which nothing is known; if it was the probe, another one is needed.
    package mutating func abandoned(host: String, requestStarted: Duration, at now: Duration) {
        endProbe(host, requestStarted, at: now)
    }

    private mutating func endProbe(_ host: String, _ started: Duration, at now: Duration) {
        guard let probe, probe == (host, started) else { return }
        self.probe = nil
        nextProbe = now + pause
        pause = min(pause * 2, policy.pause.upperBound)
    }

    private var hostCount: Int {
        // Few failures are looked at, and only while nothing else comes.
        Set(failures.map(\.host)).count
    }
}
