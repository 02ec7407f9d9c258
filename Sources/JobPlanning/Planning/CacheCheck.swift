import Foundation
package import JobManifest
package import JobStorage
package import Originals

/// Compares the cache with what earlier runs put into it.
package struct CacheCheck {
    /// The name under which the state keeps the size of the cache's pinned originals.
    private static let pinned = "pinned"
    /// The name under which the state keeps the cache of which a run has said that it is gone.
    private static let gone = "gone"

    private let manifest: Manifest
    private let store: JobStore
    /// True if the originals are all that the job makes.
    private let isWarming: Bool

    /// Creates the check of a manifest, with options applied; nil if originals are not cached.
    ///
    /// It is nil offline, too: nothing could be loaded in the place of what is lost.
    package init?(_ manifest: Manifest, isOffline: Bool = false, store: JobStore) {
        guard manifest.cache.policy == .storeOriginalData, !isOffline else { return nil }
        self.manifest = manifest
        self.store = store
        isWarming = manifest.outputs.isEmpty && manifest.facts.isEmpty
    }

    /// Looks for the originals of finished items, and requeues those without one if the job only warms the cache.
    ///
    /// The originals are looked up only if the size of all pinned ones has changed since the last run. That the whole cache
    /// is gone is said once: a finished job needs none, and a nightly run would speak of it for ever.
    /// - Returns: A sentence for people; nil if nothing is missing.
    /// - Throws: `JobStoreError`; `RunError.machine` for a cache that cannot be looked into.
    package func perform() throws -> String? {
        let folder = manifest.cache.directory
        let exists = try DataCache.exists(in: folder)
        guard isWarming else {
            let gone = try !exists && store.reader.hasCachedItems() ? folder : ""
            guard try store.reader.note(Self.gone) ?? "" != gone else { return nil }
            try store.note(Self.gone, gone)
            return gone.isEmpty
                ? nil
                : "the cache \(folder), which earlier runs filled, is gone: originals are loaded again when needed"
        }
        let cache = try DataCache.existing(in: folder)
        defer { cache?.close() }
        cache?.isSweepEnabled = false
        let size = try Self.pinnedSize(cache)
        guard try store.reader.note(Self.pinned) != size else { return nil }
        var lost: [Int64] = []
        try store.reader.forEachCachedItem { id, key in
            if cache?.containsData(for: key) != true { lost.append(id) }
        }
        try store.requeue(lost)
        try store.note(Self.pinned, size)
        guard !lost.isEmpty else { return nil }
        let originals = lost.count == 1 ? "1 original is" : "\(lost.count) originals are"
        return "\(originals) no longer in the cache \(folder): this run loads them again"
    }

    /// Notes the size of the cache's pinned originals after a run.
    /// - Throws: `JobStoreError`, the error of the cache.
    package func end(_ cache: DataCache?) throws {
        if isWarming { try store.note(Self.pinned, Self.pinnedSize(cache)) }
    }

    private static func pinnedSize(_ cache: DataCache?) throws -> String {
        "\(try cache?.pins().size ?? 0)"
    }
}
