import Files
import Foundation
import JobManifest
import JobPlanning

/// Reading of what attempts have left, whose writers prove nothing: only so much is read as the partition can have.
extension FleetStore {
    /// The most bytes of results that an item may have on average, in a partition of so many items.
    ///
    /// Outputs take some 400 bytes each, facts with a placeholder some hundreds.
    private static func resultLimit(_ items: Int) -> Int { min(1 << 20 + items * (64 << 10), 1 << 30) }

    /// The most bytes that one byte of results stands for: lines of an item that differ in their digests are far from it.
    private static let mostExpansion = 200

    /// Returns the commit of a partition; nil if there is none.
    /// - Throws: `RunError.forged` for one that no worker has written, `machine`.
    func commit(of partition: Int, in plan: SHA256Name) async throws(RunError) -> PartitionCommit? {
        let key = FleetKey.commit(partition)
        guard let commit = try await decode(PartitionCommit.self, at: key, limit: PartitionCommit.limit)
        else { return nil }
        guard commit.plan == plan else {
            throw .forged("\(appending(key)): plan is that of another plan, \(commit.plan.short)")
        }
        guard commit.partition == partition else {
            throw .forged("\(appending(key)): partition is \(commit.partition), not \(partition)")
        }
        return commit
    }

    /// Returns the rows of the attempt that a commit names, as many as the partition has items.
    /// - Throws: `RunError.forged` if they are missing, changed or not what a worker writes; `machine`.
    func rows(of commit: PartitionCommit, _ entry: PlannedPartition) async throws(RunError) -> [AttemptRow] {
        let key = FleetKey.attempt(commit.attempt, of: entry.partition, "jsonl.gz")
        let limit = Self.resultLimit(entry.items)
        guard let file = try await read(key, limit: limit) else {
            throw .forged("\(appending(key)), which won, is missing")
        }
        guard SHA256Name(of: file) == commit.sha256 else {
            throw .forged("\(appending(key)) does not have the SHA-256 of its commit: it was changed")
        }
        let most = min(limit, 1 << 20 + file.count * Self.mostExpansion)
        guard let text = Gzip.decompress(file, limit: most) else {
            throw .forged("\(appending(key)) is no gzip file of at most \(most) bytes")
        }
        let lines = text.lines
        guard lines.count == entry.items else {
            throw .forged(
                "\(appending(key)) has \(Quantity.count(lines.count, "item")), but the plan \(entry.items)"
            )
        }
        var rows: [AttemptRow] = []
        rows.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            do throws(StoredRecordError) { rows.append(try AttemptRow(json: line)) } catch {
                throw .forged("\(appending(key)), line \(index + 1): \(error)")
            }
        }
        return rows
    }
}
