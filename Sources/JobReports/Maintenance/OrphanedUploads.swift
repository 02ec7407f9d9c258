import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// Unfinished uploads of tar files to destinations that the manifest no longer has.
struct OrphanedUploads: Sendable {
    /// An upload, and the location that it was begun for.
    private struct Upload: Sendable {
        let shard: ShardRecord
        let prefix: ObjectLocation
    }

    private let uploads: [Upload]
    private let manifest: Manifest

    /// Finds the uploads in a state; `reader` is nil for a job that was never run.
    /// - Throws: `JobStoreError`.
    init(_ manifest: Manifest, _ reader: JobReader?) throws(JobStoreError) {
        self.manifest = manifest
        let isPacked = manifest.dataset?.pack != nil
        uploads =
            try reader?.openUploads().compactMap { destination, shard in
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
                path: upload.prefix.appending(Shard.name(upload.shard.number, .tar)).description,
                name: "unfinished upload",
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
            guard let identifier = upload.shard.upload else { continue }
            let bucket = try manifest.store(at: upload.prefix)
            let name = Shard.name(upload.shard.number, .tar)
            try await S3Upload(bucket, name, identifier: identifier).abort()
            try await bucket.delete(Shard.partName(upload.shard.number, .tar))
            let folder = try Folder(path: FilePath.folder(of: state.path))
            let prefix = Shard.tailPrefix(upload.shard, state: state.path)
            for tail in try folder.names() where tail.hasPrefix(prefix) { try folder.remove(tail) }
            try state.giveUp(upload.shard)
        }
    }
}
