import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import Synchronization

/// The making of a Parquet file of a shard that is full.
///
/// The shard itself is a tar file, which stays until the Parquet file is complete and durable under its name: a run that is
/// killed meanwhile leaves the tar file, of which the next run makes the same file again.
struct ParquetShard: Sendable {
    private let columns: ShardColumns

    /// Prepares the shards of a manifest, whose items may have the columns that `reader` finds: those of the plan that is in force.
    init(_ manifest: Manifest, _ reader: JobReader) {
        let images = manifest.imageColumns.map { ParquetColumn($0, .image) }
        let texts = Manifest.itemTexts.map { ParquetColumn($0) }
        let numbers = Manifest.originalNumbers.map { ParquetColumn($0, .integer) }
        let facts = manifest.facts.isEmpty ? [] : [ParquetColumn(Manifest.factsColumn)]
        let fixed = images + texts + numbers + facts
        let planned = manifest.dataset?.columns?.map {
            ListColumn($0.key, ListColumn.Contents(rawValue: $0.value))
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        columns = ShardColumns { () throws(JobStoreError) in
            let ofList = if let planned { planned } else { try reader.listColumns() }
            return fixed + ofList.map(ParquetColumn.init)
        }
    }

    /// Writes the items in the first `size` bytes of `archive` to the file `name` in `folder`; blocks the thread.
    /// - Throws: `ParquetError`, `FileError`, `JobStoreError`.
    func write(_ archive: HeldFile, size: Int, to name: String, in folder: Folder) throws {
        let newName = "\(name).new"
        guard let file = try HeldFile(newName, in: folder, create: true, permissions: Permissions.file) else {
            throw FileError("write", "\(folder.path)/\(newName)", code: EWOULDBLOCK)
        }
        do {
            // Of a run that was killed.
            try file.write(Data(), at: 0)
            try ParquetProgram().pack(archive, size: size, columns: try columns.all(), to: file)
            try file.sync()
            try folder.publish(newName, as: name)
            try folder.sync()
        } catch {
            try? file.remove()
            throw error
        }
    }
}

/// The columns of all shards of a run, which are found with the first one: that looks at the columns of every item.
private final class ShardColumns: Sendable {
    private let find: @Sendable () throws(JobStoreError) -> [ParquetColumn]
    private let found = Mutex<[ParquetColumn]?>(nil)

    init(_ find: @escaping @Sendable () throws(JobStoreError) -> [ParquetColumn]) {
        self.find = find
    }

    func all() throws(JobStoreError) -> [ParquetColumn] {
        if let known = found.withLock({ $0 }) { return known }
        let columns = try find()
        found.withLock { $0 = columns }
        return columns
    }
}
