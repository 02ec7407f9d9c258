import Files
import Foundation
import JobManifest
import JobPlanning
import JobReports
import JobStorage
import ObjectStorage

/// The files that `fleet collect` leaves in the store for others to read: `collected/`.
struct CollectedResults {
    private static let lines = "results.jsonl.gz"
    private static let table = "results.parquet"
    /// The items of one member of the compressed results.
    private static let memberCount = 4_000
    /// The most members that are made at the same time: more would wait for the items, which one thread reads.
    private static let mostMembers = 4

    private let store: FleetStore
    private let statePath: String
    /// The prefix of the results in the store.
    private let folder: String
    private let scratch: ScratchFolder
    private let destination: Destination
    private let isPacked: Bool

    /// The results of the whole job, of which the collector has the state.
    init(_ collector: FleetCollector) {
        self.init(collector, ofState: collector.statePath, in: FleetKey.collected)
    }

    /// The results of the items in a state.
    init(_ collector: FleetCollector, ofState statePath: String, in folder: String) {
        (store, scratch) = (collector.store, collector.scratch)
        (self.statePath, self.folder) = (statePath, folder)
        destination = collector.manifest.destination
        isPacked = collector.manifest.dataset?.pack != nil
    }

    /// Writes the results of all items, the places of all shards, and at last the report.
    /// - Throws: `RunError`.
    func write(_ report: CollectReport, _ shards: Set<String>) async throws {
        try await writeItems()
        try await writeSums(report, shards)
    }

    /// Writes the results of all items of the state.
    /// - Throws: `RunError`.
    func writeItems() async throws {
        let table = try ResultsTable("\(scratch.path)/\(Self.table)")
        try await writeResults(to: "\(scratch.path)/\(Self.lines)", and: table)
        try await publish(Self.lines, type: "application/gzip")
        if table != nil {
            try await publish(Self.table, type: "application/vnd.apache.parquet")
        } else {
            // That of an earlier collection has other results.
            try await store.remove("\(folder)\(Self.table)")
        }
    }

    /// True if the store has the results of the items.
    /// - Throws: `RunError.machine`.
    func areThere() async throws(RunError) -> Bool {
        var found = false
        try await store.forEachKey(below: folder) { found = found || $0.key == "\(folder)\(Self.lines)" }
        return found
    }

    /// Writes the places of all shards, and at last the report; no state is needed.
    /// - Throws: `RunError`.
    func writeSums(_ report: CollectReport, _ shards: Set<String>) async throws {
        if isPacked {
            let places = shards.sorted().map { destination.appending($0) + "\n" }.joined()
            try await store.write(Data(places.utf8), at: "\(folder)shards.txt", type: "text/plain")
        }
        try await store.write(Data(JSONLine.text(report).utf8), at: "\(folder)report.json")
    }

    private func publish(_ name: String, type: String) async throws {
        try await store.write(
            Payload(file: "\(scratch.path)/\(name)"),
            at: "\(folder)\(name)",
            type: type
        )
    }

    /// Writes a line for each item as `export --json` does, in the manifest's order, and its rows to `table`.
    ///
    /// Members of the compressed file are made of so many items at the same time as there are cores, but few.
    private func writeResults(to path: String, and table: ResultsTable?) async throws {
        guard let reader = try JobReader(path: statePath) else {
            throw RunError.machine("cannot write \(path)")
        }
        let file = try FileHandle.scratch(path)
        defer { try? file.close() }
        let width = min(Self.mostMembers, ProcessInfo.processInfo.activeProcessorCount)
        var members: [Task<Data, any Error>] = []
        var page = try reader.items(limit: Self.memberCount, withAttempts: true)
        while let last = page.last {
            members.append(Task { [page] in try Self.member(page) })
            for item in page { try table?.add(item) }
            if members.count >= width {
                try file.write(contentsOf: try await members.removeFirst().value)
            }
            page = try reader.items(after: last, limit: Self.memberCount, withAttempts: true)
        }
        for member in members { try file.write(contentsOf: try await member.value) }
        try table?.finish()
    }

    private static func member(_ items: [ItemRecord]) throws -> Data {
        let text = items.map { JSONLine.text(ExportedItem($0)) + "\n" }.joined()
        guard let member = Gzip.compress(Data(text.utf8)) else {
            throw RunError.machine("not enough memory to compress the results")
        }
        return member
    }
}
