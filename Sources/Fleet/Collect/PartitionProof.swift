import Foundation
import JobPlanning
import JobStorage

/// The proof that a committed partition is complete: its commit, its attempt's file and the plan agree item by item.
struct PartitionProof: Sendable {
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
                guard output.offset != nil, output.state == .done else { return nil }
                return output.path.map { Shard.file(ofMember: $0.description) }
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
        do throws(RunError) {
            guard let commit = try await store.commit(of: entry.partition, in: plan.hash) else {
                throw .forged("its commit was removed while it was read")
            }
            self.commit = commit
            rows = try await store.rows(of: commit, entry)
        } catch {
            throw error.exit == .giveUp ? fail(error.description) : error
        }
        let others = attempts.otherWinners(than: commit.attempt)
        guard others.isEmpty else {
            throw fail(
                "attempt \(commit.attempt) and \(others.joined(separator: ", ")) have both won: the store replaced a commit"
            )
        }
        var counts = AttemptCounts()
        for row in rows { counts[row.state] += 1 }
        guard counts == commit.counts else {
            throw fail("its commit counts \(commit.counts.text), but its attempt has \(counts.text)")
        }
        for (planned, row) in zip(try await store.lines(of: entry), rows) {
            guard planned.ordinal == row.ordinal, planned.key == row.key else {
                throw fail("its attempt has item \(row.ordinal) in place of item \(planned.ordinal)")
            }
        }
    }
}

extension AttemptCounts {
    /// The counts in words.
    package var text: String {
        let shown = AttemptRow.State.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return shown.isEmpty ? "no items" : shown.joined(separator: ", ")
    }
}
