public import Foundation
import JobManifest
public import JobPlanning

/// An event that a run reports while it is active.
public enum RunEvent: Sendable {
    /// The run begins to process a job of `items` items.
    case runStarted(job: String, items: Int)
    /// An item is finished and durably recorded.
    case itemFinished(ItemListing)
    /// A host keeps requests waiting; reported once for each wait.
    case hostWaiting(HostWait)
    /// The run is over.
    case runFinished(RunReport)

    /// Returns the event as one line of JSON, `{"event", "time", …}` (`docs/command-line.md`).
    ///
    /// Times are RFC 3339 in UTC.
    public func line(at time: Date = Date()) -> String {
        var fields = fields
        fields["time"] = Timestamp.text(time)
        return JSONLine.text(fields)
    }

    /// The keys of the event but for its time.
    var fields: [String: any Encodable & Sendable] {
        switch self {
        case .runStarted(let job, let items):
            return ["event": "run_started", "job": job, "items": items]
        case .itemFinished(let item):
            return ["event": "item_finished", "item": item]
        case .hostWaiting(let wait):
            let until = Nullable(wrappedValue: wait.until.map { Timestamp.text($0) })
            return ["event": "host_waiting", "host": wait.host, "until": until, "reason": wait.reason]
        case .runFinished(let report):
            return report.fields
        }
    }
}

extension RunReport {
    /// The keys of `run_finished` but for its time.
    var fields: [String: any Encodable & Sendable] {
        [
            "event": "run_finished", "exit": exit.rawValue, "made": made, "reused": reused,
            "skipped": skipped, "failed": failed, "newFailures": newFailures, "networkBytes": networkBytes,
            "cacheBytes": cacheBytes, "seconds": seconds, "confirmed": confirmed, "changed": changed,
            "stale": stale, "edgeHits": edge.hits, "edgeMisses": edge.misses, "warnings": warnings,
            "stopped": Nullable(wrappedValue: trouble),
        ]
    }
}
