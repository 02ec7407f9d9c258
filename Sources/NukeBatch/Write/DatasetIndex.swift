import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The index of a dataset: a line of JSON or a row of CSV for each output, in the manifest's order.
///
/// It is written to a temporary file and renamed when it is complete, so that a reader never sees part of it.
struct DatasetIndex: Sendable {
    /// Rows are written in chunks of this many bytes.
    private static let chunkSize = 4 << 20

    /// The absolute path of the index.
    let path: String
    private let name: String
    private let destination: String
    private let reader: JobReader
    private var isCSV: Bool { name.hasSuffix(".csv") }

    /// Creates the index of a manifest; nil if the manifest requests none.
    init?(_ manifest: Manifest, _ reader: JobReader) {
        guard let name = manifest.dataset?.index else { return nil }
        self.name = name
        destination = manifest.destinationPath
        path = "\(manifest.destinationPath)/\(name)"
        self.reader = reader
    }

    /// True if the file exists.
    var isThere: Bool {
        (try? Folder(path: destination))?.status(of: name) != nil
    }

    /// Writes all finished outputs of the manifest; gives up when `isStopped` returns true.
    /// - Returns: True if the index was written.
    /// - Throws: `FileError`, `JobStoreError`.
    func write(unless isStopped: () -> Bool) throws -> Bool {
        let parts = name.parts(at: "/").filter { !$0.isEmpty }
        let folder = try Folder(path: destination, create: true).folder(
            parts.dropLast().joined(separator: "/"),
            create: true
        )
        let last = String(parts.last ?? "")
        guard let file = try HeldFile("\(last).part", in: folder, create: true, permissions: 0o644) else {
            throw FileError("write", path, code: EWOULDBLOCK)
        }
        let columns = isCSV ? try reader.variableNames() : []
        var (rows, size) = (Data(), 0)
        if isCSV { rows += Self.bytes(Row.names + columns.map { "columns.\($0)" }) }
        do {
            try reader.forEachItem { item in
                if isStopped() { throw CancellationError() }
                for output in item.outputs where output.state == .done {
                    let row = Row(item, output)
                    rows += isCSV ? Self.bytes(row.fields(columns)) : Data("\(JSONLine.text(row))\n".utf8)
                    guard rows.count >= Self.chunkSize else { continue }
                    try file.write(rows, at: size)
                    size += rows.count
                    rows.removeAll(keepingCapacity: true)
                }
            }
        } catch is CancellationError {
            try file.remove()
            return false
        }
        try file.write(rows, at: size)
        try folder.rename("\(last).part", to: last)
        try folder.sync()
        return true
    }

    private static func bytes(_ fields: [String]) -> Data {
        Data("\(CSVRow.text(fields))\r\n".utf8)
    }

    /// The entry of one output; every key is always present.
    private struct Row: Encodable {
        /// The item's position in the manifest, from 1.
        let item: Int
        @Nullable var id: String?
        let url: String
        /// The output's name in the manifest.
        let name: String
        /// The path relative to the destination; for a member of a shard, the shard's name and the member's name.
        @Nullable var path: String?
        /// The offset of its bytes in the shard; null for a file of its own.
        @Nullable var offset: Int?
        @Nullable var width: Int?
        @Nullable var height: Int?
        @Nullable var bytes: Int?
        /// SHA-256 of its bytes, in hexadecimal.
        @Nullable var hash: String?
        /// SHA-256 of the original's bytes.
        @Nullable var original: String?
        let columns: [String: String]

        static let names = [
            "item", "url", "path", "width", "height", "bytes", "hash", "id", "name", "offset", "original",
        ]

        init(_ record: ItemRecord, _ output: OutputResult) {
            item = record.ordinal
            url = ItemListing.withoutUser(record.url)
            name = output.name
            columns = [String: String](json: record.varsJSON)
            (id, original) = (record.id, record.originalSHA256)
            (path, offset) = (output.path, output.shardOffset)
            (width, height, bytes, hash) = (output.width, output.height, output.bytes, output.sha256)
        }

        func fields(_ columnNames: [String]) -> [String] {
            let number = { (value: Int?) in value.map(String.init) ?? "" }
            return [
                String(item), url, path ?? "", number(width), number(height), number(bytes), hash ?? "",
                id ?? "",
                name, number(offset), original ?? "",
            ] + columnNames.map { columns[$0] ?? "" }
        }
    }
}
