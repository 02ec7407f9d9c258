import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The shards of a job in its folder, which other jobs and other partitions of this one may share.
///
/// A number belongs to the run that created its `.part` file; complete shards stay unchanged.
struct ShardFolder: ShardStorage {
    /// The end-of-archive marker of every complete shard.
    private static let end = TarMember.end

    let folder: Folder
    let prefix: String
    let format: Shard.Format
    private let parquet: ParquetShard
    let destination: String
    let store: JobStore
    let warn: @Sendable (String) -> Void

    /// Opens the shards of `manifest` and creates the destination if it is missing.
    ///
    /// `warn` is called with warnings for the user.
    /// - Throws: `FileError`.
    init(
        _ manifest: Manifest,
        _ store: JobStore,
        warn: @escaping @Sendable (String) -> Void
    ) throws(FileError) {
        folder = try Folder(path: manifest.destination.description, create: true)
        destination = manifest.destinationText
        prefix = manifest.dataset?.shardPrefix ?? ""
        format = manifest.dataset?.pack == .parquet ? .parquet : .tar
        parquet = ParquetShard(manifest, store.reader)
        self.store = store
        self.warn = warn
    }

    var place: String { folder.path }

    /// Ends the shard under its final name, in Parquet as a file made of it; a shard without items is removed.
    /// - Throws: `FileError`, `JobStoreError`; `ParquetError` for Parquet.
    fileprivate func complete(_ record: ShardRecord, _ file: HeldFile, as format: Shard.Format) throws {
        let name = self.name(record.number, format)
        if record.items == 0 {
            try file.remove()
        } else if format == .parquet {
            try parquet.write(file, size: record.bytes, to: name, in: folder)
            try file.remove()
        } else {
            try file.write(Self.end, at: record.bytes)
            try folder.publish(partName(record.number, format), as: name)
        }
        try folder.sync()
        try writeStatistics(of: record)
    }

    /// Writes the statistics of a complete shard durably, before the state records that it is complete: a run that is killed
    /// meanwhile leaves that to the next one.
    private func writeStatistics(of record: ShardRecord) throws {
        guard record.items > 0, let statistics = try store.reader.statistics(of: record) else { return }
        let name = self.statisticsName(record.number)
        guard let file = try HeldFile("\(name).part", in: folder, create: true, permissions: Permissions.file)
        else { throw FileError("write", "\(folder.path)/\(name)", code: EWOULDBLOCK) }
        try file.write(statistics.json, at: 0)
        try folder.publish("\(name).part", as: name)
        try folder.sync()
    }

    func removeUnfinished(_ record: ShardRecord) throws(FileError) {
        try folder.remove(partName(record.number, try writtenFormat(of: record)))
    }

    /// The format in which an unfinished shard was begun.
    private func writtenFormat(of record: ShardRecord) throws(FileError) -> Shard.Format {
        for other in Shard.Format.allCases where other != format {
            if try folder.examine(partName(record.number, other)) != nil { return other }
        }
        return format
    }

    func check() throws(ItemError) {
        try folder.requirePlace()
    }

    func stop() {}

    func trouble(_ error: any Error) -> ItemError {
        error as? ItemError ?? ItemError(.local, "the shard cannot be written: \(error)")
    }

    func resume(_ record: ShardRecord) throws -> (shard: any OpenShard, format: Shard.Format)? {
        let format = try writtenFormat(of: record)
        guard let file = try resume(record, as: format) else { return nil }
        return (ShardFile(files: self, file: file, format: format), format)
    }

    /// Returns the file of an unfinished shard with its tail cut off; nil if nothing can be appended to it.
    private func resume(_ record: ShardRecord, as format: Shard.Format) throws -> HeldFile? {
        let (part, name) = (partName(record.number, format), self.name(record.number, format))
        let complete = try folder.examine(name)
        if format == .parquet, complete != nil {
            // It was made of the archive, which the run was killed before it removed.
            try folder.remove(part)
            try writeStatistics(of: record)
            return nil
        }
        if let size = try folder.examine(part)?.size, size >= record.bytes {
            guard let file = try HeldFile(part, in: folder) else { return nil }
            try file.write(Data(), at: record.bytes)
            return file
        }
        // The file was renamed, and the run was killed before that was recorded.
        if complete?.size == record.bytes + Self.end.count {
            try writeStatistics(of: record)
        } else if record.items > 0 {
            warn(
                "\(folder.path)/\(part) is missing or truncated: run verify --repair to make its \(Quantity.count(record.items, "item")) again"
            )
            try folder.remove(part)
        }
        return nil
    }

    func highestNumber(after last: Int?) throws(FileError) -> Int? {
        try folder.names().compactMap(Shard.number).max()
    }

    func begin(_ record: ShardRecord) throws -> (record: ShardRecord, shard: any OpenShard)? {
        let part = partName(record.number, format)
        guard try folder.examine(part) == nil,
            let file = try HeldFile(part, in: folder, create: true, permissions: Permissions.file)
        else { return nil }
        if try folder.examine(name(record.number, format)) != nil {
            try file.remove()
            return nil
        }
        try folder.sync()
        return (record, ShardFile(files: self, file: file, format: format))
    }
}

/// A shard in a folder that is being written.
private struct ShardFile: OpenShard {
    /// A queue of one thread, which waits for the disk.
    private static let disk = WorkQueue(name: "shard", width: 1)

    let files: ShardFolder
    let file: HeldFile
    let format: Shard.Format

    func write(_ data: Data, at offset: Int) async throws {
        try await Self.disk.run { [files, file] in
            try file.write(data, at: offset)
            try files.check()
        }
    }

    func recorded(_ record: ShardRecord) async throws {}

    func complete(_ record: ShardRecord) async throws {
        try await Self.disk.run { [files, file, format] in try files.complete(record, file, as: format) }
    }
}
