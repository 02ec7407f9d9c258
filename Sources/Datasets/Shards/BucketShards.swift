import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The shards of a job in its bucket, which other jobs and other partitions of this one may share.
///
/// Nothing is seen of a shard before it is complete. An object `NNNNN.tar.part` reserves its number meanwhile. A tar file is an
/// upload in parts, which are recorded in the state; what is too small for a part is in a file beside it. One in Parquet is a
/// tar file beside the state until it is full.
struct BucketShards: ShardStorage {
    let bucket: S3Store
    let store: JobStore
    let requests = StoppableRequests()
    let parquet: ParquetShard
    /// The folder of the state.
    let folder: Folder
    let prefix: String
    let format: Shard.Format
    let destination: String
    let warn: @Sendable (String) -> Void

    /// Opens the shards of `manifest`; nothing is sent.
    /// - Throws: `FileError`.
    init(
        _ manifest: Manifest,
        _ store: JobStore,
        bucket: S3Store,
        warn: @escaping @Sendable (String) -> Void
    ) throws(FileError) {
        (self.bucket, self.store, self.warn) = (bucket, store, warn)
        destination = manifest.destinationText
        prefix = manifest.dataset?.shardPrefix ?? ""
        format = manifest.dataset?.pack == .parquet ? .parquet : .tar
        parquet = ParquetShard(manifest, store.reader)
        folder = try Folder(path: Folder.enclosing(store.path))
    }

    var place: String { "\(bucket)" }

    func removeUnfinished(_ record: ShardRecord) async throws {
        try await giveUp(record)
        try removeTails(record)
    }

    func check() throws(ItemError) {}

    func stop() {
        requests.stop()
    }

    func trouble(_ error: any Error) -> ItemError {
        switch error {
        case let error as ItemError: error
        case let error as StoreError: ItemError(error, writing: bucket)
        default: ItemError(.local, "the shard cannot be written: \(error)")
        }
    }

    /// Opens the file for the bytes behind the first parts; nil if there is none.
    /// - Throws: `FileError`.
    func tail(_ record: ShardRecord, part number: Int, create: Bool) throws(FileError) -> HeldFile? {
        try HeldFile(tailName(record, part: number), in: folder, create: create)
    }

    /// Removes the files of a shard beside the state.
    /// - Throws: `FileError`.
    func removeTails(_ record: ShardRecord) throws(FileError) {
        let prefix = Shard.tailPrefix(record, state: store.path)
        for name in try folder.names() where name.hasPrefix(prefix) { try folder.remove(name) }
    }

    /// Makes the name of a new file durable.
    /// - Throws: `FileError`.
    func sync() throws(FileError) {
        try folder.sync()
    }

    /// Ends a shard whose object is complete: writes its statistics, releases its number, and removes its files beside the state.
    ///
    /// A run that is killed meanwhile leaves the rest to the next one, as the state does not say yet that the shard is complete.
    /// - Throws: `StoreError`, `JobStoreError`, `FileError`.
    func finish(_ record: ShardRecord, _ format: Shard.Format) async throws {
        if record.items > 0, let statistics = try store.reader.statistics(of: record) {
            let name = self.statisticsName(record.number)
            try await requests.perform { [bucket] () throws(StoreError) in
                _ = try await bucket.put(statistics.json, at: name, DestinationFiles.attributes(of: name))
            }
        }
        try await release(record, format)
        try removeTails(record)
    }

    /// Releases the number of a shard that is complete or given up.
    /// - Throws: `StoreError`.
    func release(_ record: ShardRecord, _ format: Shard.Format) async throws(StoreError) {
        try await requests.perform { [bucket] () throws(StoreError) in
            try await bucket.delete(partName(record.number, format))
        }
    }

    func tailName(_ record: ShardRecord, part number: Int) -> String {
        "\(Shard.tailPrefix(record, state: store.path))\(number).tail"
    }

    /// The size of the file for the bytes behind the first parts; nil if there is none.
    func tailSize(_ record: ShardRecord, part number: Int) throws(FileError) -> Int? {
        try folder.examine(tailName(record, part: number))?.size
    }

    func facts(of name: String) async throws(StoreError) -> ObjectFacts? {
        try await requests.perform { [bucket] () throws(StoreError) in try await bucket.head(name) }
    }
}
