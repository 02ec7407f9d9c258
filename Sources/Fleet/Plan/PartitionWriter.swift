import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// Writes the partitions of a plan to its store, each when its items are complete.
///
/// Use it in one task.
struct PartitionWriter {
    /// A written partition: the lines between the steps of planning.
    struct Summary: StoredRecord, Equatable {
        /// The items of a host in a partition.
        struct Host: StoredRecord, Equatable {
            let host: String
            var items: Int

            var bounds: [StoredBound] {
                [
                    StoredBound("host", host, longest: StoredBound.shortText),
                    StoredBound("items", items, in: StoredBound.items),
                ]
            }
        }

        let partition: Int
        var items: Int
        /// SHA-256 and number of the bytes of the lines.
        var sha256: SHA256Name
        var bytes: Int
        /// The hosts in the order of their names.
        var hosts: [Host]
        /// The columns of the items in the order of their names; nil unless shards need them.
        var columns: [PlannedColumn]?

        var bounds: [StoredBound] {
            [
                StoredBound("partition", partition, in: StoredBound.partitions),
                StoredBound("items", items, in: StoredBound.items),
                StoredBound("bytes", bytes, in: StoredBound.bytes),
                StoredBound("hosts", hosts, most: 10_000_000),
                StoredBound("columns", columns ?? [], most: PlannedColumn.most),
            ]
        }
    }

    /// The lines of a partition that is not complete.
    private struct Open {
        var lines: [(ordinal: Int, text: String)] = []
        var hosts: [String: Int] = [:]
        var columns: [String: ListColumn.Contents] = [:]
    }

    /// The uploads that run at the same time.
    private static let width = 8

    private let store: FleetStore?
    /// True if the columns of shards depend on the items of all partitions.
    private let hasColumns: Bool
    private var open: [Int: Open] = [:]
    private var uploads: [Task<Void, any Error>] = []
    /// The partitions that were written, in any order.
    private(set) var summaries: [Summary] = []

    /// Creates a writer; without a store it only computes what it would write.
    init(_ store: FleetStore?, for manifest: Manifest) {
        self.store = store
        hasColumns = manifest.dataset?.pack == .parquet
    }

    /// Adds an item of a host to a partition, whose items may come in any order.
    mutating func add(_ line: PartitionLine, host: String, to partition: Int) {
        open[partition, default: Open()].lines.append((line.ordinal, line.text))
        open[partition]?.hosts[host, default: 0] += 1
        guard hasColumns else { return }
        open[partition]?.columns.merge(line.columns.contents) { $0.union($1) }
    }

    /// The number of items that a partition has so far.
    func count(of partition: Int) -> Int { open[partition]?.lines.count ?? 0 }

    /// Writes a partition, which gets no more items, and returns what is known of it.
    /// - Throws: `RunError` if an earlier upload has failed.
    @discardableResult
    mutating func finish(_ partition: Int) async throws -> Summary {
        let part = open.removeValue(forKey: partition) ?? Open()
        var text = ""
        for line in part.lines.sorted(by: { $0.ordinal < $1.ordinal }) {
            text += line.text
            text += "\n"
        }
        let data = Data(text.utf8)
        let hosts = part.hosts.map(Summary.Host.init).sorted {
            $0.host.utf8.lexicographicallyPrecedes($1.host.utf8)
        }
        let summary = Summary(
            partition: partition,
            items: part.lines.count,
            sha256: SHA256Name(of: data),
            bytes: data.count,
            hosts: hosts,
            columns: hasColumns ? PlannedColumn.sorted(part.columns) : nil
        )
        summaries.append(summary)
        guard let store else { return summary }
        guard let file = Gzip.compress(data) else {
            throw RunError.machine("partition \(partition): not enough memory to compress it")
        }
        if uploads.count >= Self.width { try await uploads.removeFirst().value }
        uploads.append(
            Task { try await store.write(file, at: FleetKey.items(partition), type: "application/gzip") }
        )
        return summary
    }

    /// Returns when everything is written.
    /// - Throws: `RunError` for the first upload that failed.
    mutating func end() async throws {
        let tasks = uploads
        uploads = []
        for task in tasks { try await task.value }
    }
}
