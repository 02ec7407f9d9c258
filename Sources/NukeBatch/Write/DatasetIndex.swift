import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The index of a dataset: a line of JSON or a row of CSV or Parquet for each output, in the manifest's order.
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
    /// - Throws: `FileError`, `JobStoreError`, `ParquetError`.
    func write(unless isStopped: () -> Bool) throws -> Bool {
        let parts = name.parts(at: "/").filter { !$0.isEmpty }
        let folder = try Folder(path: destination, create: true).folder(
            parts.dropLast().joined(separator: "/"),
            create: true
        )
        let last = String(parts.last ?? "")
        if name.hasSuffix(".parquet") { return try writeParquet(last, in: folder, unless: isStopped) }
        guard let file = try HeldFile("\(last).part", in: folder, create: true, permissions: 0o644) else {
            throw FileError("write", path, code: EWOULDBLOCK)
        }
        let columns = isCSV ? try reader.variableNames() : []
        var (rows, size) = (Data(), 0)
        if isCSV {
            rows += Self.bytes(
                DatasetRow.columns.map(\.name) + columns.map { Manifest.listColumnPrefix + $0 }
            )
        }
        do {
            try forEachRow(unless: isStopped) { row in
                rows += isCSV ? Self.bytes(row.fields(columns)) : Data("\(JSONLine.text(row))\n".utf8)
                guard rows.count >= Self.chunkSize else { return }
                try file.write(rows, at: size)
                size += rows.count
                rows.removeAll(keepingCapacity: true)
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

    /// Writes the index as Parquet.
    private func writeParquet(
        _ last: String,
        in folder: Folder,
        unless isStopped: () -> Bool
    ) throws -> Bool {
        let columns = try reader.variableNames()
        let ofList = columns.map { ParquetColumn(Manifest.listColumnPrefix + $0) }
        let table = try ParquetTable(last, in: folder, columns: DatasetRow.columns + ofList)
        do {
            try forEachRow(unless: isStopped) { try table.add($0.values(columns)) }
        } catch is CancellationError {
            try table.discard()
            return false
        }
        try table.finish()
        return true
    }

    /// Calls `body` with the row of each finished output.
    /// - Throws: `CancellationError` when `isStopped` returns true.
    private func forEachRow(unless isStopped: () -> Bool, _ body: (DatasetRow) throws -> Void) throws {
        try reader.forEachItem { item in
            if isStopped() { throw CancellationError() }
            for output in item.outputs where output.state == .done { try body(DatasetRow(item, output)) }
        }
    }

    private static func bytes(_ fields: [String]) -> Data {
        Data("\(CSVRow.text(fields))\r\n".utf8)
    }
}
