import Foundation
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// Pins the originals that a job has warmed, and unpins them when its outputs are made.
///
/// The owner of the pins is the job's state, so that the next run finds them. A run that makes outputs pins nothing; it
/// removes the pins of an earlier warming when no unfinished item needs them.
struct Pins: Sendable {
    private let cache: DataCache
    private let owner: String
    private let isWarming: Bool

    /// Creates the pins of a job; nil if originals are not cached.
    init?(_ manifest: Manifest, _ cache: DataCache?, owner: String) {
        guard let cache else { return nil }
        self.cache = cache
        self.owner = owner
        isWarming = manifest.outputs.isEmpty
    }

    /// Pins a warmed original durably.
    /// - Throws: `ItemError` for a local problem: an index that cannot be written, or a cache that is too small.
    func keep(_ original: Original) async throws(ItemError) {
        guard isWarming, let key = original.cacheKey else { return }
        try await pin(key, by: owner)
        guard !cache.containsData(for: key) else { return }
        // It was evicted between its store and its pin.
        throw ItemError(
            .local,
            """
            the cache \(cache.path.path) is too small for its pinned originals (cache.sizeLimit is \
            \(Quantity.bytes(cache.sizeLimit))): raise cache.sizeLimit
            """
        )
    }

    /// Pins an original that crashed a process, for a bug report.
    /// - Throws: `ItemError` for a local problem.
    func keepForReport(_ original: Original) async throws(ItemError) {
        if let key = original.cacheKey { try await pin(key, by: quarantine) }
    }

    private func pin(_ key: String, by owner: String) async throws(ItemError) {
        do {
            try await cache.pin([key], by: owner)
        } catch {
            throw ItemError(.local, "the original cannot be pinned in the cache: \(error)")
        }
    }

    /// Unpins an original that did not crash after all.
    /// - Throws: `ItemError` for a local problem.
    func letGoOfSuspect(_ original: Original) async throws(ItemError) {
        guard let key = original.cacheKey else { return }
        do {
            try await cache.unpin([key], by: quarantine)
        } catch {
            throw ItemError(.local, "the original cannot be unpinned in the cache: \(error)")
        }
    }

    /// A separate owner, since the job's own pins are removed when it is finished.
    private var quarantine: String { owner + " (quarantined)" }

    /// Unpins the originals of items that are no longer in the manifest.
    /// - Throws: `DataCacheError`, `JobStoreError`.
    func dropUnlisted(_ known: JobReader) async throws {
        guard isWarming else { return }
        let keys = try known.unlistedCacheKeys()
        if !keys.isEmpty { try await cache.unpin(keys, by: owner) }
    }

    /// Removes all pins if a run that makes outputs has finished all items.
    /// - Throws: `DataCacheError`.
    func end(isFinished: Bool) async throws {
        if !isWarming, isFinished { try await cache.unpinAll(by: owner) }
    }
}
