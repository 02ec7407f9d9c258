import Files
import Foundation
import JobManifest
import JobPlanning
import JobReports
import JobStorage

/// The files that `fleet collect` leaves in the store for others to read: `collected/`.
struct CollectedResults {
    /// The items of one member of the compressed results.
    private static let memberCount = 10_000

    private let store: FleetStore
    private let statePath: String
    private let scratch: ScratchFolder

    init(_ collector: FleetCollector) {
        (store, scratch) = (collector.store, collector.scratch)
        statePath = collector.statePath
    }

    /// Writes the results of all items, and at last the report.
    /// - Throws: `RunError`.
    func write(_ report: CollectReport) async throws {
        let results = "\(scratch.path)/results.jsonl.gz"
        try writeResults(to: results)
        let data = try Data(contentsOf: URL(fileURLWithPath: results), options: .mappedIfSafe)
        try await store.write(data, at: "collected/results.jsonl.gz", type: "application/gzip")
        try await store.write(Data(JSONLine.text(report).utf8), at: "collected/report.json")
    }

    /// Writes a line for each item as `export --json` does, in the manifest's order.
    private func writeResults(to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw RunError.machine("cannot write \(path)") }
        defer { try? file.close() }
        var (text, count) = ("", 0)
        func flush() throws {
            guard !text.isEmpty, let member = Gzip.compress(Data(text.utf8)) else { return }
            try file.write(contentsOf: member)
            (text, count) = ("", 0)
        }
        try JobReader(path: statePath)?.forEachItem(withAttempts: true) { item in
            text += JSONLine.text(ExportedItem(item)) + "\n"
            count += 1
            if count == Self.memberCount { try flush() }
        }
        try flush()
    }
}
