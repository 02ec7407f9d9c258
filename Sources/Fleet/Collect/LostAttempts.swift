import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The files of attempts that have lost, of partitions that are committed: nobody needs them any more.
struct LostAttempts {
    private let listing: AttemptListing
    private let store: FleetStore
    private let manifest: Manifest

    init(_ listing: AttemptListing, in store: FleetStore, of manifest: Manifest) {
        (self.listing, self.store, self.manifest) = (listing, store, manifest)
    }

    /// Removes the results of lost attempts, and their shards but those with these names.
    ///
    /// An attempt goes on with the shards of one that was killed on the same node.
    /// - Returns: The number of attempts.
    /// - Throws: `RunError`, `StoreError`.
    func remove(keeping shards: Set<String>) async throws -> Int {
        var count = 0
        let outputs = try outputStore()
        let kept = Set(shards.map(\.shardStem))
        for (partition, attempts) in listing.attempts where listing.commits.contains(partition) {
            guard let winner = attempts.won.first else { continue }
            for lost in attempts.started.union(attempts.finished).subtracting([winner]) {
                if let outputs {
                    let prefix = Shard.prefix(ofAttempt: lost.description, at: FleetKey.digits(partition))
                    try await removeShards(prefix, of: outputs, keeping: kept)
                }
                try await store.remove(FleetKey.attempt(lost, of: partition, "started"))
                try await store.remove(FleetKey.attempt(lost, of: partition, "jsonl.gz"))
                count += 1
            }
        }
        return count
    }

    /// The store of the outputs; nil if they are files of their own, which all attempts write alike.
    private func outputStore() throws -> (any Store)? {
        guard manifest.dataset?.pack != nil else { return nil }
        if let bucket = try manifest.destinationStore() { return bucket }
        return try FolderStore(manifest.destination.description)
    }

    private func removeShards(
        _ prefix: String,
        of outputs: any Store,
        keeping kept: Set<Substring>
    ) async throws {
        var (last, progress) = (String?.none, ListingProgress())
        repeat {
            let page = try await outputs.list(prefix, after: last)
            for key in page.entries.map(\.key) where !kept.contains(key.shardStem) {
                if key.hasSuffix(".part") {
                    // It reserves the name of an upload that was not completed.
                    try await (outputs as? S3Store)?.abortUploads(at: String(key.dropLast(5)))
                }
                try await outputs.delete(key)
            }
            try progress.goOn(behind: page.next, in: "\(outputs)")
            last = page.next
        } while last != nil
    }
}

extension String {
    /// The stem that a shard, its unfinished file and its statistics share: `00003` of `00003.tar` and `00003_stats.json`.
    fileprivate var shardStem: Substring { prefix { $0 != "." && $0 != "_" } }
}
