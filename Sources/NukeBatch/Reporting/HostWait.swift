public import Foundation
import Nuke

/// Which waits of hosts are new, so that each is told once.
struct HostWaits {
    private var told: [String: HostWait] = [:]

    /// Those of `waiting` that were not told yet, or have become others.
    mutating func news(_ waiting: [HostGate.Waiting], now: Date = Date()) -> [HostWait] {
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
    /// Until when; nil where that is not known.
    public let until: Date?
    /// Why: `retry_after` (it asked to be left alone), `rate`, `unreachable` (it did not answer), `outage` (none does).
    public let reason: String

    /// Waits for a turn that comes within a second are none that anybody need know.
    init?(_ waiting: HostGate.Waiting, now: Date) {
        switch waiting.reason {
        case .concurrency: return nil
        case .held: reason = "retry_after"
        case .unreachable: reason = "unreachable"
        case .outage: reason = "outage"
        case .rate:
            guard let remaining = waiting.remaining, remaining > .seconds(1) else { return nil }
            reason = "rate"
        }
        host = waiting.host
        until = waiting.remaining.map { now.addingTimeInterval($0 / .seconds(1)) }
    }

    /// At a rate or in an outage turns follow each other: that is one wait.
    fileprivate func isSame(_ other: HostWait) -> Bool {
        guard reason == other.reason else { return false }
        if reason == "rate" || reason == "outage" { return true }
        guard let until, let end = other.until else { return until == other.until }
        return abs(end.timeIntervalSince(until)) < 0.5
    }
}
