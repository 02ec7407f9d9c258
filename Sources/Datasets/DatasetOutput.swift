import Files
import Foundation
package import JobManifest
package import JobPlanning
package import JobStorage

/// The dataset work of a run: it opens and completes shards, and writes the index at the end.
package struct DatasetOutput: Sendable {
    /// Writes the items of this run to shards; nil if outputs are separate files.
    package let shards: ShardWriter?
    private let index: DatasetIndex?
    private let store: JobStore
    private let control: RunControl
    private let isInBucket: Bool
    /// True if the items that are left are not this run's: a partition's run ends with complete shards.
    private let isPartition: Bool

    /// Opens the dataset of a run; nil for a manifest without one.
    ///
    /// `forgotten` is the shard that `openShard` returned before the state was deleted; `warn` is called with sentences for
    /// the user.
    /// - Throws: `FileError` if the destination cannot be created, `StoreError`.
    package init?(
        _ manifest: Manifest,
        in store: JobStore,
        control: RunControl,
        pacing: BucketPacing?,
        forgotten: ShardRecord?,
        warn: @escaping @Sendable (String) -> Void
    ) async throws {
        guard let dataset = manifest.dataset else { return nil }
        (self.store, self.control) = (store, control)
        isInBucket = manifest.destination.bucket != nil
        isPartition = !dataset.shardPrefix.isEmpty
        if dataset.pack != nil {
            let files: any ShardStorage
            if let bucket = try manifest.destinationStore(pacing) {
                files = try BucketShards(manifest, store, bucket: bucket, warn: warn)
            } else {
                files = try ShardFolder(manifest, store, warn: warn)
            }
            if let forgotten { try await files.removeUnfinished(forgotten) }
            shards = ShardWriter(files, store, itemsPerFile: dataset.itemsPerFile)
        } else {
            shards = nil
        }
        index = DatasetIndex(manifest, store.reader, state: store.path)
    }

    /// Returns the unfinished shard in the state of `manifest` if `options` delete the state; otherwise nil.
    /// - Throws: `JobStoreError`.
    package static func openShard(of manifest: Manifest, _ options: RunOptions) throws(JobStoreError)
        -> ShardRecord?
    {
        guard options.isFresh, manifest.dataset?.pack != nil else { return nil }
        // A state that cannot be read is deleted together with all its records.
        guard let reader = try? JobReader(path: options.statePath(of: manifest)) else { return nil }
        return try? reader.openShard(of: manifest.destinationText)
    }

    /// Marks the index as outdated; call it before work that changes outputs.
    /// - Throws: `JobStoreError`.
    package func begin() throws(JobStoreError) {
        if index != nil { try store.forgetIndexes() }
    }

    /// True if the run is to end at once, by a signal or because of a local problem.
    private var isInterrupted: Bool { control.exit != nil && control.exit != .workLeft }

    /// Completes the last shard of a finished job and writes the index, unless the run is interrupted.
    package func finish() async {
        await control.finishing(isInBucket: isInBucket) { try await complete() }
    }

    private func complete() async throws {
        let isFinished = try store.reader.counts().unfinished == 0
        // A run that was stopped has no time for requests: the next one completes the shard.
        let isHurried = isInBucket && isInterrupted
        if isFinished && !isHurried || isPartition && !isInterrupted { try await shards?.finish() }
        guard let index, !isInterrupted else { return }
        if try store.reader.isIndexCurrent(index.path), try await index.isThere { return }
        if try await index.write(unless: { isInterrupted }) { try store.recordIndex(index.path) }
    }
}
