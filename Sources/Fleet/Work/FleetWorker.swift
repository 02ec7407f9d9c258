import Files
import Foundation
package import JobManifest
package import JobPlanning
import JobStorage
import NukeBatch
import ObjectStorage
import Synchronization

/// Does partitions of a plan on this node, and commits each if no other attempt has won.
///
/// A worker may be killed at any moment: a partition is done only when its commit is in the store. Do one partition after the
/// other; `stop` may be called from any thread meanwhile.
package final class FleetWorker: Sendable {
    /// The answer about one partition: a line of `fleet work … -`.
    package struct Answer: Sendable, Encodable {
        package let partition: Int
        /// True if the partition is committed, by this attempt or another.
        package var committed = false
        @Nullable package var attempt: String?
        @Nullable package var counts: AttemptCounts?
        package var seconds = 0.0
        @Nullable package var error: String?
        /// The exit code: 0 if it is committed, 42 if another try cannot help, otherwise a signal's or 4.
        package var exit = ExitCode.done

        enum CodingKeys: CodingKey {
            case partition, committed, attempt, counts, seconds, error
        }
    }

    private struct State {
        var runner: BatchRunner?
        var stop: ExitCode?
    }

    private let store: FleetStore
    private let job: FleetJob
    private let manifest: Manifest
    private let scratch: WorkerScratch
    private let sandboxProgram: [String]
    /// Returns false if nobody reads this worker's answers any more.
    private let hasReader: @Sendable () -> Bool
    private let state = Mutex(State())

    /// Reads the job of a store, if it may be trusted, and proves that the store is fit for commits.
    /// - Throws: `RunError.wrongInput` for a store without a plan, or one that does not honour conditions; `forged` if nothing
    ///   proves the plan, or something was changed; `machine`.
    package init(
        _ store: FleetStore,
        scratch: String?,
        environment: [String: String],
        sandboxProgram: [String],
        hasReader: @escaping @Sendable () -> Bool = { true }
    ) async throws(RunError) {
        let job = try await store.trustedJob()
        try await store.requireConditions()
        self.store = store
        self.job = job
        self.sandboxProgram = sandboxProgram
        self.hasReader = hasReader
        manifest = try await job.facts.manifest.read(from: store, environment: environment)
        self.scratch = WorkerScratch(WorkerScratch.folder(scratch, environment: environment), plan: job.plan)
        for partition in try self.scratch.partitions where try await store.exists(FleetKey.commit(partition))
        {
            self.scratch.remove(partition)
        }
    }

    /// Ends the work soon; nothing is committed any more.
    package func stop(_ exit: ExitCode) {
        let runner = state.withLock { state in
            state.stop = ExitCode.graver(state.stop, exit)
            return state.runner
        }
        runner?.stop(exit)
    }

    /// The exit code of the reason to stop; nil to go on.
    package var stopped: ExitCode? { state.withLock { $0.stop } }

    /// Does one partition, unless it is committed already or beyond the plan.
    package func work(on partition: Int) async -> Answer {
        let start = ContinuousClock.now
        var answer = Answer(partition: partition)
        do throws(RunError) {
            try await work(on: partition, &answer)
        } catch {
            answer.error = error.description
            answer.exit = stopped ?? error.exit.ofWorker
        }
        answer.seconds = ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
        return answer
    }

    private func work(on partition: Int, _ answer: inout Answer) async throws(RunError) {
        guard partition < job.facts.partitions else { return }
        // A commit of another plan, or one that no worker has written, is no reason to leave the partition.
        guard try await store.commit(of: partition, in: job.plan) == nil else {
            answer.committed = true
            scratch.remove(partition)
            return
        }
        let entry = try await store.entry(of: partition, in: job)
        if let before = entry.after, try await store.commit(of: before, in: job.plan) == nil {
            throw .machine(
                "partition \(partition) follows partition \(before), which is not committed: try again later"
            )
        }
        try await attempt(entry, &answer)
    }

    private func attempt(_ entry: PlannedPartition, _ answer: inout Answer) async throws(RunError) {
        let partition = entry.partition
        let id = AttemptID()
        answer.attempt = id.description
        let started = Date.now
        let marker = FleetKey.attempt(id, of: partition, "started")
        let mark = StartedAttempt(attempt: id, node: Self.node, started: Timestamp.text(started))
        try await store.write(Data(JSONLine.text(mark).utf8), at: marker)
        let lines = try await store.items(of: entry).file
        let folder = try scratch.folder(of: partition)
        let first = try scratch.firstAttempt(in: folder, now: id)
        let run = try PartitionRun(
            entry,
            of: manifest.packing(job.facts.columns, as: first, at: partition),
            minutes: job.facts.minutes,
            lines: lines,
            folder: folder,
            sandboxProgram: sandboxProgram
        )
        let report: RunReport
        do throws(RunError) { report = try await perform(run) } catch {
            // The run did not begin, such as that of a partition that another worker of this node is at: no image has ended it.
            // A marker whose attempt names shards stays, so that they are found.
            if first != id || manifest.dataset?.pack == nil { try? await store.remove(marker) }
            throw error
        }
        guard [.done, .someFailed, .workLeft].contains(report.exit) else {
            throw .machine(report.trouble ?? "stopped before partition \(partition) was finished")
        }
        let rows = try run.rows()
        guard rows.count == entry.items else {
            throw .machine(
                "partition \(partition) has \(Quantity.count(entry.items, "item")), but its state has \(rows.count)"
            )
        }
        var counts = AttemptCounts()
        for row in rows { counts[row.state] += 1 }
        answer.counts = counts
        let text = rows.map { JSONLine.text($0) + "\n" }.joined()
        guard let file = Gzip.compress(Data(text.utf8)) else {
            throw .machine("not enough memory to compress the results of partition \(partition)")
        }
        let key = FleetKey.attempt(id, of: partition, "jsonl.gz")
        try await store.write(file, at: key, type: "application/gzip")
        let commit = PartitionCommit(
            plan: job.plan,
            partition: partition,
            attempt: id,
            counts: counts,
            sha256: SHA256Name(of: file),
            version: Version.current,
            node: Self.node,
            started: Timestamp.text(started),
            ended: Timestamp.text(.now),
            networkBytes: report.networkBytes
        )
        try await self.commit(commit, &answer)
    }

    private func commit(_ commit: PartitionCommit, _ answer: inout Answer) async throws(RunError) {
        let partition = commit.partition
        guard stopped == nil else { throw .machine("stopped before partition \(partition) was committed") }
        guard hasReader() else {
            stop(.machine)
            throw .machine("nobody reads the answers any more: partition \(partition) is not committed")
        }
        let data = Data(JSONLine.text(commit).utf8)
        if try await store.create(data, at: FleetKey.commit(partition)) {
            let won = FleetKey.attempt(commit.attempt, of: partition, "won")
            try await store.write(data, at: won)
        } else {
            guard try await store.commit(of: partition, in: job.plan) != nil else {
                throw .machine("the commit of partition \(partition) was removed meanwhile")
            }
        }
        answer.committed = true
        scratch.remove(partition)
    }

    /// Runs the items, so that `stop` reaches the run.
    private func perform(_ run: PartitionRun) async throws(RunError) -> RunReport {
        let runner = try run.runner()
        let stop = state.withLock { state in
            state.runner = runner
            return state.stop
        }
        if let stop { runner.stop(stop) }
        defer { state.withLock { $0.runner = nil } }
        return try await runner.run()
    }

    private static let node = ProcessInfo.processInfo.hostName
}

extension ExitCode {
    /// The exit code that a worker gives its engine for an error with this one: 42 if a retry cannot help, otherwise 4.
    package var ofWorker: ExitCode { [.wrongInput, .giveUp].contains(self) ? .giveUp : .machine }
}

extension Manifest {
    /// Returns the manifest with names of shards that no other attempt writes, and with the columns of the whole job in them.
    fileprivate func packing(
        _ columns: [PlannedColumn]?,
        as attempt: AttemptID,
        at partition: Int
    ) -> Manifest {
        var manifest = self
        manifest.dataset?.columns = columns.map { columns in
            Dictionary(columns.map { ($0.name, $0.contents) }) { $0 | $1 }
        }
        manifest.dataset?.shardPrefix = Shard.prefix(
            ofAttempt: attempt.description,
            at: FleetKey.digits(partition)
        )
        return manifest
    }
}

extension FleetStore {
    /// Returns true if the store has an object.
    /// - Throws: `RunError.machine`.
    package func exists(_ key: String) async throws(RunError) -> Bool {
        do throws(StoreError) { return try await store.head(key) != nil } catch { throw RunError(error) }
    }
}
