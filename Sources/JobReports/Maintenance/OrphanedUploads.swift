import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// Unfinished shards in buckets, tar files and Parquet files, of destinations that the manifest no longer has.
struct OrphanedUploads: Sendable {
    /// A shard, and the location that it was begun for.
    private struct Upload: Sendable {
        let shard: ShardRecord
        let prefix: ObjectLocation

        var name: String { Shard.name(shard.number, shard.formatInBucket) }
    }

    private let uploads: [Upload]
    private let manifest: Manifest

    /// Finds the uploads in a state; `reader` is nil for a job that was never run.
    /// - Throws: `JobStoreError`.
    init(_ manifest: Manifest, _ reader: JobReader?) throws(JobStoreError) {
        self.manifest = manifest
        let isPacked = manifest.dataset?.pack != nil
        uploads =
            try reader?.openShards().compactMap { destination, shard in
                guard !isPacked || destination != manifest.destinationText,
                    let place = try? Destination(
                        manifest.variables.expanded(destination),
                        in: manifest.folder
                    ),
                    let prefix = place.bucket
                else { return nil }
                return Upload(shard: shard, prefix: prefix)
            } ?? []
    }

    /// The uploads as `prune` lists them.
    var files: [Pruning.File] {
        uploads.map { upload in
            Pruning.File(
                path: upload.prefix.appending(upload.name).description,
                name: upload.shard.upload == nil ? "unfinished shard" : "unfinished upload",
                url: "",
                bytes: upload.shard.bytes,
                fate: .remove
            )
        }
    }

    /// Aborts the uploads, releases their numbers, and forgets them.
    /// - Throws: `StoreError`, `JobStoreError`, `FileError`.
    func remove(from state: JobStore) async throws {
        for upload in uploads {
            let bucket = try manifest.store(at: upload.prefix)
            if let identifier = upload.shard.upload {
                try await S3Upload(bucket, upload.name, identifier: identifier).abort()
            }
            for format in Shard.Format.allCases {
                // A state that was moved has another reservation, but only its own shard has items.
                var isOwn = upload.shard.isReserved && format == upload.shard.formatInBucket
                if !isOwn { isOwn = try await isReserved(upload.shard, format, in: bucket, by: state) }
                guard isOwn else { continue }
                // Those of an object in parts, within which the run was killed.
                try await bucket.abortUploads(at: Shard.name(upload.shard.number, format))
                try await bucket.delete(Shard.partName(upload.shard.number, format))
            }
            let folder = try Folder(path: Folder.enclosing(state.path))
            let prefix = Shard.tailPrefix(upload.shard, state: state.path)
            for tail in try folder.names() where tail.hasPrefix(prefix) { try folder.remove(tail) }
            try state.giveUp(upload.shard)
        }
    }

    /// True if this state has reserved the number of a shard, and not another one.
    private func isReserved(
        _ shard: ShardRecord,
        _ format: Shard.Format,
        in bucket: S3Store,
        by state: JobStore
    ) async throws(StoreError) -> Bool {
        let name = Shard.partName(shard.number, format)
        let owner = Shard.reservation(of: shard, state: state.path)
        guard let facts = try await bucket.head(name), facts.size == owner.count else { return false }
        return try await bucket.get(name, limit: owner.count) == owner
    }
}
