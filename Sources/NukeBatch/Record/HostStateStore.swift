import Foundation
import JobStorage
import Originals
import Synchronization

/// The rate limiter's knowledge of hosts, kept in the job's state for the next run.
final class HostStateStore: Sendable {
    /// The least relative change of a rate that is written while the run is active.
    private static let change = 0.05
    /// The time between writes of rates alone; holds are written at once, in case the run is killed.
    private static let interval: Duration = .seconds(3)

    private let store: JobStore
    private let rateLimiter: HostRateLimiter
    private let written = Mutex<(hosts: [String: HostRecord], at: ContinuousClock.Instant)>(([:], .now))

    init(_ store: JobStore, _ rateLimiter: HostRateLimiter) {
        self.store = store
        self.rateLimiter = rateLimiter
    }

    /// Returns the time since a run of the job may last have sent a request; nil without such a run.
    ///
    /// Call it before a run begins.
    /// - Throws: `JobStoreError`.
    static func idle(_ store: JobStore) throws(JobStoreError) -> Duration? {
        if store.endedUncleanly { return .zero }
        let end = try store.reader.runs(limit: 1).first.map { $0.ended ?? now }
        return end.map { .milliseconds(max(now - $0, 0)) }
    }

    /// Restores the rate limiter from the state.
    /// - Throws: `JobStoreError`.
    func restore() throws(JobStoreError) {
        let hosts = try store.reader.hosts()
        let now = Self.now
        for host in hosts {
            if let rate = host.rate { rateLimiter.restore(host: host.name, rate: rate) }
            if host.failStreak > 0 { rateLimiter.restore(host: host.name, failStreak: host.failStreak) }
            if host.notBefore > now {
                rateLimiter.hold(host: host.name, for: .milliseconds(host.notBefore - now))
            }
        }
        written.withLock { $0.hosts = Dictionary(hosts.map { ($0.name, $0) }) { $1 } }
    }

    /// Writes the changed host states: all of them, or only those that are due.
    /// - Throws: `JobStoreError`.
    func save(all: Bool = false) async throws(JobStoreError) {
        let lessons = rateLimiter.lessons
        // Most runs have learned nothing, and are asked five times a second.
        guard !lessons.isEmpty || written.withLock({ !$0.hosts.isEmpty }) else { return }
        let changed = written.withLock { written in
            let current = Dictionary(lessons.map { ($0.host, HostRecord($0, now: Self.now)) }) { $1 }
            // A host that the rate limiter has forgotten is written as well: it has its full rate again.
            let names = Set(current.keys).union(written.hosts.keys)
            let isDue = all || written.at.duration(to: .now) >= Self.interval
            let changed = names.compactMap { name -> HostRecord? in
                let (before, after) = (written.hosts[name], current[name] ?? HostRecord(name: name))
                return after.differs(from: before, ratesToo: isDue, by: all ? 0 : Self.change) ? after : nil
            }
            if isDue { written.at = .now }
            for host in changed { written.hosts[host.name] = host }
            return changed
        }
        try await store.save(changed)
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}

extension HostRecord {
    fileprivate init(_ lesson: HostRateLimiter.Lesson, now: Int64) {
        let (seconds, attoseconds) = lesson.hold.components
        let hold = max(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 0)
        self.init(name: lesson.host, rate: lesson.rate) {
            $0.notBefore = hold > 0 ? now + hold : 0
            $0.failStreak = lesson.failStreak
            $0.breaker = lesson.isDown ? "down" : lesson.isOpen ? "open" : nil
        }
    }

    /// True if it must be written in place of `other`; times differ a little after conversion between two clocks.
    fileprivate func differs(from other: HostRecord?, ratesToo: Bool, by share: Double) -> Bool {
        let other = other ?? HostRecord(name: name)
        if breaker != other.breaker || notBefore > other.notBefore + 500 { return true }
        guard ratesToo else { return false }
        guard (rate == nil) == (other.rate == nil), failStreak == other.failStreak,
            notBefore > 0 || other.notBefore == 0
        else { return true }
        return abs((rate ?? 0) - (other.rate ?? 0)) > share * (other.rate ?? 0)
    }
}
