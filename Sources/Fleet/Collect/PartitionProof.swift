import Files
import Foundation
import JobPlanning
import JobStorage

/// The proof that a committed partition is complete: its commit, its attempt's file and the plan agree item by item.
struct PartitionProof: Sendable {
    /// The commit that won.
    let commit: PartitionCommit
    /// The items as the attempt left them, in the order of the plan.
    let rows: [AttemptRow]

    /// A sentence about what does not agree.
    struct Contradiction: Error, Sendable {
        let partition: Int
        let message: String

        var description: String { "partition \(partition): \(message)" }
    }

    /// The names of the shards that hold its outputs.
    var shards: Set<String> {
        Set(
            rows.flatMap(\.outputs).compactMap { output in
                guard output.offset != nil, output.state == "done" else { return nil }
                return output.path.map(Shard.file(ofMember:))
            }
        )
    }

    /// Checks a partition that has a commit.
    /// - Throws: ``Contradiction``, or `RunError.machine` if the store cannot be read.
    init(
        _ entry: PlannedPartition,
        of plan: FleetPlan,
        _ attempts: AttemptListing.Attempts,
        in store: FleetStore
    )
        async throws
    {
        func fail(_ message: String) -> Contradiction {
            Contradiction(partition: entry.partition, message: message)
        }
        guard let data = try await store.read(FleetKey.commit(entry.partition)) else {
            throw fail("its commit was removed while it was read")
        }
        guard let commit = try? JSONDecoder().decode(PartitionCommit.self, from: data) else {
            throw fail("its commit is not the JSON that a worker writes")
        }
        guard commit.plan == plan.hash else {
            throw fail("its commit belongs to another plan, \(commit.plan.prefix(16))")
        }
        guard commit.partition == entry.partition else {
            throw fail("its commit is that of partition \(commit.partition)")
        }
        let others = attempts.won.subtracting([commit.attempt]).sorted()
        guard others.isEmpty else {
            throw fail(
                "attempt \(commit.attempt) and \(others.joined(separator: ", ")) have both won: the store replaced a commit"
            )
        }
        rows = try await Self.rows(commit, entry, in: store, failing: fail)
        self.commit = commit
        var counts = AttemptCounts()
        for row in rows { counts.add(row.state) }
        guard counts == commit.counts else {
            throw fail("its commit counts \(commit.counts.text), but its attempt has \(counts.text)")
        }
        try await Self.compare(rows, with: entry, in: store, failing: fail)
    }

    private static func rows(
        _ commit: PartitionCommit,
        _ entry: PlannedPartition,
        in store: FleetStore,
        failing fail: (String) -> Contradiction
    ) async throws -> [AttemptRow] {
        let key = FleetKey.attempt(commit.attempt, of: entry.partition, "jsonl.gz")
        guard let file = try await store.read(key) else { throw fail("\(key), which won, is missing") }
        guard Digest.sha256.hex(of: file) == commit.sha256 else {
            throw fail("\(key) does not have the SHA-256 of its commit: it was changed")
        }
        let rows: [AttemptRow]?
        do { rows = try AttemptRow.all(in: file) } catch {
            throw fail("\(key) has a line that is no item: \(error)")
        }
        guard let rows else { throw fail("\(key) is no gzip file") }
        return rows
    }

    /// Compares the rows with the partition's items: each exactly once, in order.
    private static func compare(
        _ rows: [AttemptRow],
        with entry: PlannedPartition,
        in store: FleetStore,
        failing fail: (String) -> Contradiction
    ) async throws {
        let key = FleetKey.items(entry.partition)
        guard let file = try await store.read(key),
            let text = Gzip.decompress(file, limit: FleetStore.lineLimit),
            Digest.sha256.hex(of: text) == entry.sha256
        else { throw fail("\(key) is not what was planned") }
        let lines = try PartitionLine.all(in: text, name: key)
        guard lines.count == rows.count else {
            throw fail("its attempt has \(rows.count) items, but the plan \(lines.count)")
        }
        for (planned, row) in zip(lines, rows) {
            guard planned.ordinal == row.ordinal, planned.key == row.key else {
                throw fail("its attempt has item \(row.ordinal) in place of item \(planned.ordinal)")
            }
        }
    }
}

extension AttemptCounts {
    /// The counts in words.
    package var text: String {
        let parts = [
            (done, "done"), (failed, "failed"), (skipped, "skipped"), (quarantined, "quarantined"),
            (deferred, "deferred"),
        ]
        let shown = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return shown.isEmpty ? "no items" : shown.joined(separator: ", ")
    }
}
