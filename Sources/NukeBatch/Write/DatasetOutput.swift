import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// The dataset work of a run: it opens and completes shards, and writes the index at the end.
struct DatasetOutput: Sendable {
    /// Writes the items of this run to shards; nil if outputs are separate files.
    let shards: ShardWriter?
    private let index: DatasetIndex?
    private let store: JobStore
    private let control: RunControl
    private let isInBucket: Bool
    /// True if the items that are left are not this run's: a partition's run ends with complete shards.
    private let isPartition: Bool

    /// Opens the dataset of a run; nil for a manifest without one.
    /// - Throws: `FileError` if the destination cannot be created, `StoreError`.
    init?(_ context: RunContext) async throws {
        let (manifest, statistics) = (context.manifest, context.statistics)
        guard let dataset = manifest.dataset else { return nil }
        store = context.store
        control = context.control
        isInBucket = manifest.destination.bucket != nil
        isPartition = !dataset.shardPrefix.isEmpty
        if dataset.pack != nil {
            let warn: @Sendable (String) -> Void = { statistics.warn($0) }
            let files: any ShardStorage
            if let bucket = try manifest.destinationStore(context.destinationPacing) {
                files = try BucketShards(manifest, store, bucket: bucket, warn: warn)
            } else {
                files = try ShardFolder(manifest, store, warn: warn)
            }
            if let forgotten = context.forgotten { try await files.removeUnfinished(forgotten) }
            shards = ShardWriter(files, store, itemsPerFile: dataset.itemsPerFile)
        } else {
            shards = nil
        }
        index = DatasetIndex(manifest, store.reader, state: store.path)
    }

    /// Returns the unfinished shard in the state of `manifest` if `options` delete the state; otherwise nil.
    /// - Throws: `JobStoreError`.
    static func openShard(of manifest: Manifest, _ options: RunOptions) throws(JobStoreError) -> ShardRecord?
    {
        guard options.isFresh, manifest.dataset?.pack != nil else { return nil }
        // A state that cannot be read is deleted together with all its records.
        guard let reader = try? JobReader(path: options.statePath(of: manifest)) else { return nil }
        return try? reader.openShard(of: manifest.destinationText)
    }

    /// Marks the index as outdated; call it before work that changes outputs.
    /// - Throws: `JobStoreError`.
    func begin() throws(JobStoreError) {
        if index != nil { try store.forgetIndexes() }
    }

    /// True if the run is to end at once, by a signal or because of a local problem.
    private var isInterrupted: Bool {
        control.exit != nil && control.exit != .workLeft
    }

    /// Completes the last shard of a finished job and writes the index, unless the run is interrupted.
    func finish() async {
        do {
            try await control.finishing(isInBucket: isInBucket) { try await complete() }
        } catch {
            control.stop(.machine, trouble: "\(error)")
        }
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
