import Files
import Foundation

/// The answer of one look into the cache for a request.
package struct CacheLookup: Sendable {
    /// The entry, whose bytes have not been read yet; nil for a miss, and for a request that must not read the cache.
    package let entry: DataCache.FoundEntry?
    /// The number of stores before the look, which may have missed later ones.
    let storeCount: Int

    /// The metadata of a durable entry; nil for a miss, and for one that is only staged.
    package var metadata: DataCache.Metadata? {
        guard let entry, entry.isDurable else { return nil }
        return entry.metadata
    }
}

extension DataCache {
    /// Returns the bytes of an entry with their origin; reads the file on the calling thread.
    ///
    /// It is nil if the entry was damaged, removed or replaced by other bytes since. Large bytes are `mapped` if wanted, and a
    /// digest that the entry lacks is computed if `isDigestComputed`.
    package func loadedData(
        of entry: FoundEntry,
        mapped: Bool = false,
        isDigestComputed: Bool = false
    ) -> LoadedData? {
        guard let bytes = bytes(of: entry, mapped: mapped) else { return nil }
        var sha256 = entry.metadata.sha256.isEmpty ? nil : entry.metadata.sha256
        if sha256 == nil, isDigestComputed { sha256 = Data(Digest.sha256.bytes(of: bytes.data)) }
        return LoadedData(
            data: bytes.data,
            received: nil,
            isStorable: false,
            isCached: true,
            sha256: sha256,
            metadata: entry.metadata,
            mapping: bytes.mapping
        )
    }
}
