import Files
import Foundation
import JobStorage

/// What a run does for a dataset beside its items: shards are opened and closed, and the index is written in the end.
struct DatasetOutput: Sendable {
    /// Takes the items of this run; nil where outputs are files of their own.
    let shards: ShardWriter?
    private let index: DatasetIndex?
    private let store: JobStore
    private let control: RunControl

    /// Nil for a manifest that asks for none.
    ///
    /// `forgotten` is what `openShard` told before the state was forgotten.
    /// - Throws: `FileError` where the destination cannot be made.
    init?(
        _ manifest: Manifest,
        _ store: JobStore,
        _ forgotten: ShardRecord?,
        _ tally: RunTally,
        _ control: RunControl
    ) throws(FileError) {
        guard let dataset = manifest.dataset else { return nil }
        self.store = store
        self.control = control
        if dataset.pack != nil {
            let files = try ShardFolder(manifest, store) { tally.warn($0) }
            if let forgotten { try files.removeUnfinished(forgotten) }
            shards = ShardWriter(files, store, itemsPerFile: dataset.itemsPerFile)
        } else {
            shards = nil
        }
        index = DatasetIndex(manifest, store.reader)
    }

    /// The shard that the state of `manifest` has not finished, where `options` say that the state is to be forgotten.
    /// - Throws: `JobStoreError`.
    static func openShard(of manifest: Manifest, _ options: RunOptions) throws(JobStoreError) -> ShardRecord?
    {
        guard options.isFresh, manifest.dataset?.pack != nil else { return nil }
        // A state that cannot be read is forgotten with all that it knows.
        guard let reader = try? JobStore.reader(path: options.statePath(of: manifest)) else { return nil }
        return try? reader.openShard(of: manifest.destination)
    }

    /// Before work that changes what the index tells.
    /// - Throws: `JobStoreError`.
    func begin() throws(JobStoreError) {
        if index != nil { try store.forgetIndexes() }
    }

    /// Whether the run is to end at once, or the machine is in the way.
    private var isInterrupted: Bool {
        control.exit != nil && control.exit != .workLeft
    }

    /// Completes the last shard of a job that has nothing left to do, and writes the index, unless the run is interrupted.
    func finish() async {
        do {
            let isFinished = try store.reader.counts().unfinished == 0
            if isFinished { try await shards?.finish() }
            guard let index, !isInterrupted else { return }
            if try store.reader.isIndexCurrent(index.path), index.isThere { return }
            if try index.write(unless: { isInterrupted }) { try store.recordIndex(index.path) }
        } catch {
            control.stop(.machine, trouble: "\(error)")
        }
    }
}
