import Files
import Foundation
import JobPlanning
import JobStorage
import ObjectStorage

/// A shard in Parquet for a bucket that is being written: a tar file beside the state, of which the object is made when it is full.
///
/// The tar file stays until the object is durable: a run that is killed meanwhile leaves it, and the next run makes the same
/// object of it again.
struct BucketArchive: OpenShard {
    /// A queue of one thread, which waits for the disk.
    private static let disk = WorkQueue(name: "shard", width: 1)

    let shards: BucketShards
    let file: HeldFile

    func write(_ data: Data, at offset: Int) async throws {
        try await Self.disk.run { [file] in try file.write(data, at: offset) }
    }

    func recorded(_ record: ShardRecord) async throws {}

    func complete(_ record: ShardRecord) async throws {
        if record.items > 0 {
            let payload = try await Self.disk.run { [shards, file] in
                // Swept with the tar file.
                let name = "\(Shard.tailPrefix(record, state: shards.store.path))parquet"
                try shards.parquet.write(file, size: record.bytes, to: name, in: shards.folder)
                return try Payload(file: "\(shards.folder.path)/\(name)")
            }
            let name = shards.name(record.number, .parquet)
            try await shards.requests.perform { [bucket = shards.bucket] () throws(StoreError) in
                try await bucket.putWhole(payload, at: name, DestinationFiles.attributes(of: name))
            }
        }
        try await shards.finish(record, .parquet)
    }
}
