import Files
import Foundation
import JobManifest
package import JobPlanning

/// The items that a fleet has not finished, as a manifest that can be run or planned again.
///
/// They are those that the deadline deferred, those that failed for a reason that may pass, and those of partitions that are not
/// proven. Each keeps its place in the whole manifest, so that `{index}` and the order of results stay the same.
package struct Residue {
    /// The partitions whose lines are in memory at the same time.
    private static let groupCount = 16
    /// The bytes of the lines of a member of the compressed file.
    private static let memberSize = 4 << 20

    private let collector: FleetCollector
    private let report: CollectReport

    /// Creates the residue of a collection.
    package init(_ collector: FleetCollector, _ report: CollectReport) {
        (self.collector, self.report) = (collector, report)
    }

    /// Checks that the files of a residue are none of those that were planned: such a manifest would include itself.
    /// - Throws: `RunError.wrongInput`.
    package static func require(_ path: String, apartFrom collector: FleetCollector) throws(RunError) {
        let planned = collector.plan.manifest.files.map(\.path) + collector.manifest.plannedItems.map(\.path)
        let known = Set(planned.map(identity))
        let (manifest, items) = files(path)
        for file in [manifest, items] where known.contains(identity(file)) {
            throw .wrongInput(
                "--residue \(path): \(file) is a file of the plan's manifest, and would be lost: name another file"
            )
        }
    }

    /// Returns the absolute paths of the manifest at a path, and of its items.
    private static func files(_ path: String) -> (manifest: String, items: String) {
        let manifest = FilePath.absolute(path, in: FileManager.default.currentDirectoryPath)
        let name = "\(FilePath.stem(of: manifest)).items.jsonl.gz"
        return (manifest, "\(Folder.enclosing(manifest))/\(name)")
    }

    /// Returns the path of a file without symbolic links.
    private static func identity(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// Writes the manifest, and the items beside it as `NAME.items.jsonl.gz`; nothing without items.
    /// - Returns: The number of items.
    /// - Throws: `RunError`.
    package func write(to path: String) async throws(RunError) -> Int {
        try await RunError.wrapping {
            var lines = try await lines()
            guard lines.count > 0 else { return 0 }
            let (manifest, items) = Self.files(path)
            let file = "\(collector.scratch.path)/residue.jsonl.gz"
            try Self.compress(&lines, to: file)
            try ResultFile.write(Payload(file: file), to: items)
            var draft = ManifestDraft()
            draft.version = 1
            draft.name = "\(collector.manifest.name) (residue)"
            draft.include = Variables.escaped(collector.plan.manifest.path)
            draft.items = Variables.escaped("\(FilePath.stem(of: manifest)).items.jsonl.gz")
            draft.destination = Variables.escaped(collector.manifest.destination.description)
            draft.partitionItems = partitionItems
            try ResultFile.write(Data((draft.json.text + "\n").utf8), to: manifest)
            return lines.count
        }
    }

    /// The most items of a partition, so that each that has ended two workers is halved; nil if there is none.
    ///
    /// An item that ends every worker is alone in the end, and the others are done.
    private var partitionItems: Int? {
        report.deadly.map { (collector.plan.partitions[$0].items + 1) / 2 }.min()
    }

    /// Writes lines as members of a gzip file.
    private static func compress(_ lines: inout SortedLines, to path: String) throws {
        let file = try FileHandle.scratch(path)
        defer { try? file.close() }
        var text = Data()
        func write() throws {
            guard let member = Gzip.compress(text) else {
                throw RunError.machine("not enough memory to compress the residue")
            }
            try file.write(contentsOf: member)
            text.removeAll(keepingCapacity: true)
        }
        try lines.forEach { line in
            text += line + Data([UInt8(ascii: "\n")])
            if text.count >= memberSize { try write() }
        }
        if !text.isEmpty { try write() }
    }

    private func lines() async throws -> SortedLines {
        let unproven = Set(report.unproven)
        let (store, plan) = (collector.store, collector.plan.hash)
        let retryable = Set(collector.manifest.retry.retryableErrors.map(\.rawValue))
        var lines = SortedLines(in: collector.scratch)
        try await FleetStore.forEach(collector.plan.partitions, inGroupsOf: Self.groupCount) { entry in
            let isWhole = unproven.contains(entry.partition)
            let wanted = isWhole ? [] : try await unfinished(of: entry, in: plan, store, retryable)
            guard isWhole || !wanted.isEmpty else { return [PartitionLine]() }
            return try await store.lines(of: entry).filter { isWhole || wanted.contains($0.ordinal) }
        } _: { wanted in
            for line in wanted { try lines.add(line) }
        }
        return lines
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
