public import Foundation
import Originals

/// The hosts' waits that were reported, so that each is reported once.
struct HostWaits {
    private var told: [String: HostWait] = [:]

    /// Returns the waits of `waiting` that were not reported yet or have changed.
    mutating func news(_ waiting: [HostRateLimiter.Waiting], now: Date = Date()) -> [HostWait] {
        var current: [String: HostWait] = [:]
        var news: [HostWait] = []
        for wait in waiting.compactMap({ HostWait($0, now: now) }) {
            if let before = told[wait.host], before.isSame(wait) {
                current[wait.host] = before
            } else {
                current[wait.host] = wait
                news.append(wait)
            }
        }
        told = current
        return news
    }
}

/// A host that keeps requests waiting, for `host_waiting`.
public struct HostWait: Sendable, Hashable {
    /// The host, with its port if that is not the scheme's.
    public let host: String
    /// The end of the wait; nil if it is not known.
    public let until: Date?
    /// The reason: `retry_after` (requested by the host), `rate`, `slow_down` (a store refuses nearly all requests),
    /// `unreachable` (no response) or `outage` (no network).
    public let reason: String

    /// Creates a wait worth reporting; nil for a wait that ends within a second.
    init?(_ waiting: HostRateLimiter.Waiting, now: Date) {
        let cause = WaitCause(waiting.reason)
        switch cause {
        case .concurrency: return nil
        case .rate: guard let remaining = waiting.remaining, remaining > .seconds(1) else { return nil }
        case .retryAfter, .slowDown, .unreachable, .outage: break
        }
        reason = cause.rawValue
        host = waiting.host
        until = waiting.remaining.map { now.addingTimeInterval($0 / .seconds(1)) }
    }

    /// True for the same wait; at a rate limit or in an outage, consecutive waits count as one.
    fileprivate func isSame(_ other: HostWait) -> Bool {
        guard reason == other.reason else { return false }
        if reason == "rate" || reason == "outage" { return true }
        guard let until, let end = other.until else { return until == other.until }
        return abs(end.timeIntervalSince(until)) < 0.5
    }
}
