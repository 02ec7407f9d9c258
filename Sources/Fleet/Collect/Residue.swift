import Files
import Foundation
import JobManifest
package import JobPlanning

/// The items that a fleet has not finished, as a manifest that can be run or planned again.
///
/// They are those that the deadline deferred, those that failed for a reason that may pass, and those of partitions that are not
/// proven. Each keeps its place in the whole manifest, so that `{index}` and the order of results stay the same.
package struct Residue {
    private let collector: FleetCollector
    private let report: CollectReport

    /// Creates the residue of a collection.
    package init(_ collector: FleetCollector, _ report: CollectReport) {
        (self.collector, self.report) = (collector, report)
    }

    /// Writes the manifest, and the items beside it as `NAME.items.jsonl.gz`; nothing without items.
    /// - Returns: The number of items.
    /// - Throws: `RunError`.
    package func write(to path: String) async throws(RunError) -> Int {
        do {
            let lines = try await lines()
            guard !lines.isEmpty else { return 0 }
            let manifest = FilePath.absolute(path, in: FileManager.default.currentDirectoryPath)
            let stem = FilePath.stem(of: manifest)
            let text = lines.sorted { $0.ordinal < $1.ordinal }.map { $0.text + "\n" }.joined()
            guard let file = Gzip.compress(Data(text.utf8)) else {
                throw RunError.machine("not enough memory to compress the residue")
            }
            let items = "\(FilePath.folder(of: manifest))/\(stem).items.jsonl.gz"
            try ResultFile.write(file, to: items)
            var draft = ManifestDraft()
            draft.version = 1
            draft.name = "\(collector.manifest.name) (residue)"
            draft.include = collector.plan.manifest.path
            draft.items = "\(stem).items.jsonl.gz"
            draft.destination = collector.manifest.destination.description
            draft.partitionItems = partitionItems
            try ResultFile.write(Data((draft.json.text + "\n").utf8), to: manifest)
            return lines.count
        } catch {
            throw RunError(error)
        }
    }

    /// The most items of a partition, so that each that has ended two workers is halved; nil if there is none.
    ///
    /// An item that ends every worker is alone in the end, and the others are done.
    private var partitionItems: Int? {
        report.deadly.map { (collector.plan.partitions[$0].items + 1) / 2 }.min()
    }

    private func lines() async throws -> [PartitionLine] {
        let unproven = Set(report.unproven)
        let (store, plan) = (collector.store, collector.plan.hash)
        let retryable = Set(collector.manifest.retry.retryableErrors.map(\.rawValue))
        let parts = try await FleetStore.map(collector.plan.partitions, width: 8) { entry in
            let isWhole = unproven.contains(entry.partition)
            let wanted = isWhole ? [] : try await unfinished(of: entry, in: plan, store, retryable)
            guard isWhole || !wanted.isEmpty else { return [PartitionLine]() }
            return try await store.lines(of: entry).filter { isWhole || wanted.contains($0.ordinal) }
        }
        return parts.flatMap(\.self)
    }
}

/// Returns the ordinals of the items of a proven partition that another try may finish.
private func unfinished(
    of entry: PlannedPartition,
    in plan: SHA256Name,
    _ store: FleetStore,
    _ retryable: Set<String>
) async throws -> Set<Int> {
    guard let commit = try await store.commit(of: entry.partition, in: plan),
        commit.counts.deferred + commit.counts.failed > 0
    else { return [] }
    return Set(
        try await store.rows(of: commit, entry).filter { row in
            row.state == .deferred || row.state == .failed && retryable.contains(row.error ?? "")
        }.map(\.ordinal)
    )
}
