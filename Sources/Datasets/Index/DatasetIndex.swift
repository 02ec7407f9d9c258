import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The index of a dataset: a line of JSON or a row of CSV or Parquet for each output, in the manifest's order.
///
/// It is written to a temporary file and put into its place when it is complete, so that a reader never sees part of it.
struct DatasetIndex: Sendable {
    /// Rows are written in chunks of this many bytes.
    private static let chunkSize = 4 << 20

    /// The full name of the index: an absolute path, or the URL of an object.
    let path: String
    private let name: String
    private let manifest: Manifest
    private let reader: JobReader
    private let state: String
    private var isCSV: Bool { name.hasSuffix(".csv") }
    /// True if the manifest asks for a likeness of some files.
    private let hasScores: Bool

    /// Creates the index of a manifest; nil if the manifest requests none.
    ///
    /// `state` is the path of the job's state.
    init?(_ manifest: Manifest, _ reader: JobReader, state: String) {
        guard let name = manifest.dataset?.index else { return nil }
        (self.name, self.manifest, self.state) = (name, manifest, state)
        path = manifest.destination.appending(name)
        hasScores = manifest.outputs.contains { $0.format.minimumSSIMULACRA2 != nil }
        self.reader = reader
    }

    /// True if the file exists.
    var isThere: Bool {
        get async throws {
            if let folder = manifest.destination.folder {
                return try Presence.folder(folder)?.examine(name) != nil
            }
            return try await DestinationFiles(manifest, state: state).exists(name)
        }
    }

    /// Writes all finished outputs of the manifest; gives up when `isStopped` returns true.
    /// - Returns: True if the index was written.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`, `ParquetError`.
    func write(unless isStopped: () -> Bool) async throws -> Bool {
        let files = try DestinationFiles(manifest, state: state)
        defer { files.close() }
        let path = name.parts(at: "/").filter { !$0.isEmpty }.joined(separator: "/")
        if name.hasSuffix(".parquet") { return try await writeParquet(path, to: files, unless: isStopped) }
        var file = try files.begin(path)
        let columns = isCSV ? try reader.listColumns().map(\.name) : []
        var rows = Data()
        if isCSV {
            rows += Self.bytes(
                DatasetRow.columns(withScores: hasScores).map(\.name)
                    + columns.map { Manifest.listColumnPrefix + $0 }
            )
        }
        do {
            try forEachRow(unless: isStopped) { row in
                rows += isCSV ? Self.bytes(row.fields(columns)) : Data("\(row.object.text)\n".utf8)
                guard rows.count >= Self.chunkSize else { return }
                try file.write(rows)
                rows.removeAll(keepingCapacity: true)
            }
        } catch is CancellationError {
            try file.discard()
            return false
        }
        try file.write(rows)
        try await file.publish()
        return true
    }

    /// Writes the index as Parquet: into its folder, or beside the state if it becomes an object.
    private func writeParquet(
        _ path: String,
        to files: DestinationFiles,
        unless isStopped: () -> Bool
    ) async throws -> Bool {
        let place = try files.placeOfWhole(path)
        let columns = try reader.listColumns()
        let table = try ParquetTable(
            place.name,
            in: place.folder,
            columns: DatasetRow.columns(withScores: hasScores) + columns.map(ParquetColumn.init),
            permissions: files.permissions
        )
        do {
            let names = columns.map(\.name)
            try forEachRow(unless: isStopped) { try table.add($0.values(names)) }
        } catch is CancellationError {
            try table.discard()
            return false
        }
        try table.finish()
        try await files.publishWhole(place, as: path)
        return true
    }

    /// Calls `body` with the row of each finished output.
    /// - Throws: `CancellationError` when `isStopped` returns true.
    private func forEachRow(unless isStopped: () -> Bool, _ body: (DatasetRow) throws -> Void) throws {
        try reader.forEachItem { item in
            if isStopped() { throw CancellationError() }
            for output in item.outputs where output.state == .done {
                try body(DatasetRow(item, output, withScore: hasScores))
            }
        }
    }

    private static func bytes(_ fields: [String]) -> Data {
        Data("\(CSVRow.text(fields))\r\n".utf8)
    }
}
