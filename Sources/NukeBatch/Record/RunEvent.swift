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
        var fields: [String: any Encodable & Sendable] = ["time": Timestamp.text(time)]
        switch self {
        case .runStarted(let job, let items):
            fields.merge(["event": "run_started", "job": job, "items": items]) { $1 }
        case .itemFinished(let item):
            fields.merge(["event": "item_finished", "item": item]) { $1 }
        case .hostWaiting(let wait):
            let until = Nullable(wrappedValue: wait.until.map { Timestamp.text($0) })
            fields.merge([
                "event": "host_waiting", "host": wait.host, "until": until, "reason": wait.reason,
            ]) { $1 }
        case .runFinished(let report):
            fields.merge(report.fields) { $1 }
        }
        return JSONLine.text(fields)
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
