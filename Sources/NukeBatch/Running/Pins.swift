import JobStorage
import Nuke

/// Keeps from eviction what a job has warmed, since that is all it was asked for, and lets it go when that is over.
///
/// The owner is the job's state, so that its next run finds the pins of the one before. A run that makes outputs pins
/// nothing itself; it lets what an earlier warming has pinned go when no item is left that needs it.
struct Pins: Sendable {
    private let cache: DataCache
    private let owner: String
    private let isWarming: Bool

    /// Nil where originals are not kept at all.
    init?(_ manifest: Manifest, _ cache: DataCache?, owner: String) {
        guard let cache else { return nil }
        self.cache = cache
        self.owner = owner
        isWarming = manifest.outputs.isEmpty
    }

    /// Pins what was warmed, durably.
    /// - Throws: `ItemError` where the machine is in the way: an index that cannot be written, a cache that is too small.
    func keep(_ original: Original) async throws(ItemError) {
        guard isWarming, let key = original.cacheKey else { return }
        do {
            try await cache.pin([key], by: owner)
        } catch {
            throw ItemError("local", "the original cannot be kept: \(error)", .local)
        }
        guard !cache.containsData(for: key) else { return }
        // Others took its place between its store and its pin.
        throw ItemError(
            "local",
            """
            the cache \(cache.path.path) is too small for what its jobs keep in it (cache.sizeLimit is \
            \(RunReport.size(cache.sizeLimit))): raise cache.sizeLimit
            """,
            .local
        )
    }

    /// Pins an original that ended a process, for whoever looks into it.
    /// - Throws: `ItemError` where the machine is in the way.
    func keepForReport(_ original: Original) async throws(ItemError) {
        guard let key = original.cacheKey else { return }
        do {
            try await cache.pin([key], by: quarantine)
        } catch {
            throw ItemError("local", "the original cannot be kept: \(error)", .local)
        }
    }

    /// Lets an original go that did no harm after all.
    /// - Throws: `ItemError` where the machine is in the way.
    func letGoOfSuspect(_ original: Original) async throws(ItemError) {
        guard let key = original.cacheKey else { return }
        do {
            try await cache.unpin([key], by: quarantine)
        } catch {
            throw ItemError("local", "the cache cannot be written: \(error)", .local)
        }
    }

    /// Another owner, as what the job has pinned for itself is let go when it is finished.
    private var quarantine: String { owner + " (quarantined)" }

    /// Lets go what items have left behind that are no longer in the manifest.
    /// - Throws: `DataCacheError`, `JobStoreError`.
    func dropUnlisted(_ known: JobReader) async throws {
        guard isWarming else { return }
        let keys = try known.unlistedCacheKeys()
        if !keys.isEmpty { try await cache.unpin(keys, by: owner) }
    }

    /// Lets everything go, when a run that makes outputs has left no item undone.
    /// - Throws: `DataCacheError`.
    func end(isFinished: Bool) async throws {
        if !isWarming, isFinished { try await cache.unpinAll(by: owner) }
    }
}
