import Foundation
public import JobManifest
import JobPlanning
import JobStorage

extension JobStatus {
    /// A run of the job; times are RFC 3339 in UTC.
    public struct Run: Sendable, Encodable {
        /// Its number, from 1.
        public let run: Int
        /// The start.
        public let started: String
        /// The end; nil during the run.
        @Nullable public package(set) var ended: String?
        /// Its exit code; nil during the run and after a crash.
        @Nullable public package(set) var exit: Int?
        /// The id of its process.
        public let process: Int
        /// True if its process is running, as far as this machine can tell.
        public let isGoingOn: Bool
        /// Its duration; nil during the run and after a crash.
        @Nullable public package(set) var seconds: Double?
        /// Outputs made (or, when warming, originals loaded); nil if not recorded.
        @Nullable public package(set) var made: Int?
        /// Items of the job that were failed or quarantined at its end.
        @Nullable public package(set) var failed: Int?
        /// Bytes of originals that came from the network.
        @Nullable public package(set) var networkBytes: Int?
        /// The reason for which it ended early, in a sentence; nil if it did not.
        @Nullable public package(set) var stopped: String?
        /// Those of `failed` that no finished run had reported before; nil if not recorded.
        @Nullable public package(set) var newFailures: Int?
        /// Items that it finished well although they had failed before; nil if not recorded.
        @Nullable public package(set) var recovered: Int?
        /// Items that joined the job since the run before; nil in the first run, and if not recorded.
        @Nullable public package(set) var added: Int?
        /// Items that left the job since the run before; nil in the first run, and if not recorded.
        @Nullable public package(set) var removed: Int?
        /// The differences of its manifest from that of the run before; nil if they are not known.
        @Nullable public package(set) var changes: ManifestChanges?
        /// Responses that came from the cache of an edge; nil if not recorded.
        @Nullable public package(set) var edgeHits: Int?
        /// Responses for which an edge had to ask its origin; nil if not recorded.
        @Nullable public package(set) var edgeMisses: Int?
        /// The number of runs that were refused since it began, because it or a command after it held the job.
        public package(set) var refused = 0
        /// The time when the last of them was refused.
        @Nullable public package(set) var lastRefused: String?
    }
}

extension JobStatus.Run {
    init(_ run: RunRecord) {
        let counters = RunCounters(json: run.countersJSON)
        let hasEnded = run.exit != nil
        self.init(
            run: Int(run.runID),
            started: Timestamp.text(run.started),
            ended: run.ended.map(Timestamp.text),
            exit: run.exit,
            process: Int(run.processID),
            isGoingOn: run.ended == nil && Self.isAlive(run),
            seconds: hasEnded ? run.ended.map { Double($0 - run.started) / 1000 } : nil,
            made: counters?.made,
            failed: counters?.failed,
            networkBytes: counters?.networkBytes
        )
        stopped = run.stopped
        (newFailures, recovered) = (counters?.newFailures, counters?.recovered)
        (added, removed) = (counters?.added, counters?.removed)
        changes = ManifestChanges(json: run.changesJSON)
        (edgeHits, edgeMisses) = (counters?.edgeHits, counters?.edgeMisses)
        (refused, lastRefused) = (run.refused, run.lastRefused.map(Timestamp.text))
    }

    /// Returns true if the process exists, or may exist on another machine.
    private static func isAlive(_ run: RunRecord) -> Bool {
        guard run.host == JobStore.hostName else { return true }
        return kill(run.processID, 0) == 0 || errno == EPERM
    }

    /// The share of responses that came from the cache of an edge, such as `57 % of 7`; nil if no response tells.
    var edgeShare: String? {
        guard let edgeHits, let edgeMisses, edgeHits + edgeMisses > 0 else { return nil }
        let asked = edgeHits + edgeMisses
        let share = Int((100 * Double(edgeHits) / Double(asked)).rounded())
        return "\(share) % of \(Quantity.grouped(asked))"
    }

    /// The name of what interrupted it, by its exit code; nil for other ends.
    var interruption: String? {
        switch exit.flatMap({ ExitCode(rawValue: Int32(truncatingIfNeeded: $0)) }) {
        case .hungUp: "interrupted by SIGHUP"
        case .interrupted: "interrupted by SIGINT"
        case .terminated: "interrupted by SIGTERM"
        case .workLeft: "stopped by a limit"
        default: nil
        }
    }

    /// The circumstances of the run, each in a line: the reason of an early end, and what has changed since the run before.
    var remarks: [String] {
        var lines = [stopped.map { "stopped: \($0)" }].compactMap { $0 }
        if let changes, changes.count > 0 {
            let shown = changes.first.prefix(3)
            lines += shown.map { "manifest changed: \($0.text)" }
            let others = changes.count - shown.count
            if others > 0 { lines.append("manifest changed: \(Quantity.count(others, "other value"))") }
        }
        if let added, let removed, added + removed > 0 {
            lines.append("items: \(Quantity.grouped(added)) added, \(Quantity.grouped(removed)) removed")
        }
        if let lastRefused, refused > 0 {
            lines.append("refused meanwhile: \(Quantity.count(refused, "run")), the last at \(lastRefused)")
        }
        return lines
    }
}
