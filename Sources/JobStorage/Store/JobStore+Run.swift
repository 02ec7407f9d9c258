import Foundation
import SQLite
import Synchronization

extension JobStore {
    /// Begins a run, in which items can be claimed and recorded.
    ///
    /// A stored wait that was recorded in the future, before the clock was set back, begins now: it is never longer than
    /// it was when it was recorded. `countersJSON` is replaced by `endRun`.
    /// - Throws: `JobStoreError`.
    public func beginRun(version: String, countersJSON: String? = nil) throws(JobStoreError) -> RunRecord {
        var run = RunRecord(
            runID: 0,
            version: version,
            processID: ProcessInfo.processInfo.processIdentifier,
            host: Self.hostName,
            started: clock.now
        )
        run.runID = try writeNow { [run] connection in
            try connection.statement(
                """
                UPDATE host SET not_before_ms = not_before_ms - saved_ms + ?1, saved_ms = ?1 WHERE saved_ms > ?1
                """
            ).run(run.started)
            try connection.statement(
                """
                UPDATE item SET not_before_ms = not_before_ms - updated_ms + ?1, updated_ms = ?1
                WHERE listed = 1 AND state = 'retry' AND not_before_ms > ?1 AND updated_ms > ?1
                """
            ).run(run.started)
            try connection.statement(
                "INSERT INTO run(boot_id, pid, host, version, started_ms, counters_json) VALUES (?, ?, ?, ?, ?, ?)"
            ).run(Self.bootID, Int(run.processID), run.host, version, run.started, countersJSON)
            return connection.lastInsertRowID
        }
        runID.withLock { $0 = run.runID }
        return run
    }

    /// Replaces the totals that the run was begun with, once it is planned.
    /// - Throws: `JobStoreError`.
    public func noteRun(countersJSON: String) throws(JobStoreError) {
        let run = try currentRun()
        try writeNow { connection in
            try connection.statement("UPDATE run SET counters_json = ? WHERE run_id = ?")
                .run(countersJSON, run)
        }
    }

    /// Keeps the run's manifest for the next one, and the differences from the one that the run before has kept.
    ///
    /// Nil for either: it is not known.
    /// - Throws: `JobStoreError`.
    public func noteManifest(_ json: String?, changesJSON: String?) throws(JobStoreError) {
        let run = try currentRun()
        try writeNow { connection in
            try connection.statement("UPDATE run SET changes = ? WHERE run_id = ?")
                .run(changesJSON, run)
            try connection.note(Self.manifestNote, json)
        }
    }

    /// Counts a run that was refused at `time`, in milliseconds since 1970, with the last run that had begun by then.
    /// - Throws: `JobStoreError`.
    func countRefusedRun(at time: Int64) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement(
                """
                UPDATE run SET refused = refused + 1, refused_ms = max(?1, coalesce(refused_ms, 0))
                WHERE run_id = (SELECT max(run_id) FROM run WHERE started_ms <= ?1)
                """
            ).run(time)
        }
    }

    /// Ends the run with its exit code; items that it still holds become pending again.
    ///
    /// `stopped` is the reason for which it ended early, in a sentence.
    /// - Throws: `JobStoreError`.
    public func endRun(exit: Int, countersJSON: String? = nil, stopped: String? = nil) throws(JobStoreError) {
        let run = try currentRun()
        try writeNow { connection in
            try Self.putBack(heldBy: run, connection)
            try connection.statement(
                "UPDATE run SET ended_ms = ?, exit = ?, counters_json = ?, stopped = ? WHERE run_id = ?"
            ).run(Self.now, exit, countersJSON, stopped, run)
        }
        runID.withLock { $0 = nil }
    }

    func currentRun() throws(JobStoreError) -> Int64 {
        guard let run = runID.withLock({ $0 }) else { throw .noRun }
        return run
    }

    /// The name under which the manifest of the last run is kept.
    static let manifestNote = "manifest"

    /// Identifies the machine's boot: it differs after a restart.
    package static let bootID = systemText("/proc/sys/kernel/random/boot_id")
    /// The machine's name, as recorded with runs.
    package static let hostName = systemText("/proc/sys/kernel/hostname")

    private static func systemText(_ path: String) -> String {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return (text ?? "unknown").trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
