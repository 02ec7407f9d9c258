import Files
import Foundation

/// The answer of one look into the disk cache for a request.
package struct CacheLookup: Sendable {
    /// An entry that was found.
    package enum Entry: Sendable {
        /// An entry of a ``DataCache``, whose bytes have not been read yet.
        case found(DataCache.FoundEntry)
        /// The bytes of an entry of any other cache.
        case data(Data)

        /// The length of its data.
        package var size: Int {
            switch self {
            case .found(let entry): entry.metadata.size
            case .data(let data): data.count
            }
        }

        /// True if its data is mapped from a file, if the pipeline has accounts.
        package var isMapped: Bool {
            if case .found(let entry) = self { entry.isMappable } else { false }
        }
    }

    /// The entry; nil for a miss, and for a request that must not read the cache.
    package let entry: Entry?
    /// The number of stores before the look, which may have missed later ones.
    let storeCount: Int

    /// The metadata of a durable entry; nil for a miss, for one that is only staged, and for other caches.
    package var metadata: DataCache.Metadata? {
        guard case .found(let entry) = entry, entry.isDurable else { return nil }
        return entry.metadata
    }
}

extension ImagePipeline {
    /// Looks into the disk cache for the data of a request.
    ///
    /// - Throws: `ImagePipeline.Error.cancelled` if the task was cancelled before.
    package func cacheLookup(for request: ImageRequest) async throws(ImagePipeline.Error) -> CacheLookup {
        let storeCount = await taskPool.storeCount
        let entry = try await onCachingQueue(for: request) { $0.find() }
        return CacheLookup(entry: entry, storeCount: storeCount)
    }

    /// Returns the data that a lookup has found; nil for a miss, and for an entry that is gone or damaged since.
    package func data(
        of lookup: CacheLookup,
        for request: ImageRequest
    ) async throws(ImagePipeline.Error) -> LoadedData? {
        guard let entry = lookup.entry else { return nil }
        return try await onCachingQueue(for: request) { $0.read(entry) }
    }

    /// Returns the data that the disk cache has for a request; nil for a miss.
    func cachedOriginal(for request: ImageRequest) async throws(ImagePipeline.Error) -> LoadedData? {
        try await onCachingQueue(for: request) { $0.readFirst() }
    }

    private func onCachingQueue<Output: Sendable>(
        for request: ImageRequest,
        _ read: @escaping @Sendable (CacheReader) -> Output?
    ) async throws(ImagePipeline.Error) -> Output? {
        guard !request.options.contains(.disableDiskCacheReads),
            let dataCache = cache.dataCache(for: request)
        else { return nil }
        let requests = request.isChanged ? [request, request.original] : [request]
        let reader = CacheReader(
            cache: dataCache,
            keys: requests.map(cache.makeDataCacheKey),
            isDigestComputed: configuration.isDigestComputed,
            isMapping: configuration.downloadAccounting != nil
        )
        do {
            return try await cachingQueue.run(priority: request.priority.queuePriority) { read(reader) }
        } catch {
            throw .cancelled
        }
    }
}

/// Reads a cache for one request, on the calling thread.
private struct CacheReader: Sendable {
    let cache: any DataCaching
    /// The key of the data with processors applied, if there are any, and that of the original.
    let keys: [String]
    let isDigestComputed: Bool
    /// True to map large entries instead of holding them in memory.
    let isMapping: Bool

    func find() -> CacheLookup.Entry? {
        for key in keys {
            if let entry = find(key) { return entry }
        }
        return nil
    }

    func readFirst() -> LoadedData? {
        for key in keys {
            if let loaded = find(key).flatMap(read) { return loaded }
        }
        return nil
    }

    private func find(_ key: String) -> CacheLookup.Entry? {
        if let cache = cache as? DataCache { return cache.findEntry(for: key).map { .found($0) } }
        return cache.cachedData(for: key).map { .data($0) }
    }

    func read(_ entry: CacheLookup.Entry) -> LoadedData? {
        var metadata: DataCache.Metadata?
        let bytes: DataCache.EntryBytes
        switch entry {
        case .data(let data): bytes = DataCache.EntryBytes(data: data)
        case .found(let entry):
            guard let found = (cache as? DataCache)?.bytes(of: entry, mapped: isMapping) else { return nil }
            (bytes, metadata) = (found, entry.metadata)
        }
        var sha256 = metadata.flatMap { $0.sha256.isEmpty ? nil : $0.sha256 }
        if sha256 == nil, isDigestComputed { sha256 = Data(Digest.sha256.bytes(of: bytes.data)) }
        return LoadedData(
            data: bytes.data,
            received: nil,
            isStorable: false,
            cacheType: .disk,
            sha256: sha256,
            metadata: metadata,
            mapping: bytes.mapping
        )
    }
}
