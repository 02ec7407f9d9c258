import Foundation
import JobPlanning

extension RunEvent: CustomStringConvertible {
    /// The event in a line for people; ``line(at:)`` is the one for programs.
    public var description: String {
        switch self {
        case .runStarted(let job, let items): "\(job): \(items) item\(items == 1 ? "" : "s")"
        case .itemFinished(let item): item.description
        case .hostWaiting(let wait): wait.description
        case .runFinished(let report): report.description
        }
    }
}

extension HostWait: CustomStringConvertible {
    /// The host, the reason of its wait, and its end.
    public var description: String {
        let words = [
            "retry_after": "asks for a pause", "rate": "has no requests left at its rate",
            "slow_down": "refuses nearly all requests", "unreachable": "does not answer",
            "outage": "waits for the network",
        ]
        let end = until.map { ", until \(Timestamp.text($0))" } ?? ""
        return "\(host) \(words[reason] ?? reason)\(end)"
    }
}

extension RunReport: CustomStringConvertible {
    /// The counts of the run in a line; ``summary(manifest:)`` has more.
    public var description: String {
        let counts = "\(made) made, \(reused) reused, \(skipped) skipped, \(failed) failed, \(left) left"
        return trouble.map { "\(counts): \($0)" } ?? counts
    }
}
