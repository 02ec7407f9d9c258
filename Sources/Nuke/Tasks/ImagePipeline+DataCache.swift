import Files
import Foundation

/// The data cache as tasks use it: on the caching queue.
extension ImagePipeline {
    /// Returns the data that the disk cache has for a request; nil for a miss, and for a request that must not read it.
    /// - Throws: `ImagePipeline.Error.cancelled` if the task was cancelled before.
    func cachedOriginal(for request: ImageRequest) async throws(ImagePipeline.Error) -> LoadedData? {
        guard !request.options.contains(.disableDiskCacheReads),
            let dataCache = cache.dataCache(for: request)
        else { return nil }
        // The data with processors applied, if there are any, and then the original.
        let requests = request.isChanged ? [request, request.original] : [request]
        let keys = requests.map(cache.makeDataCacheKey)
        do {
            return try await cachingQueue.run(priority: request.priority.queuePriority) {
                for key in keys {
                    if let loaded = dataCache.loadedData(for: key) { return loaded }
                }
                return nil
            }
        } catch {
            throw .cancelled
        }
    }

    /// Encodes and stores an image after its delivery, unless it cannot be encoded.
    func storeEncoded(_ response: ImageResponse, for request: ImageRequest) {
        guard let dataCache = cache.dataCache(for: request) else { return }
        Task {
            let encoded = try? await WorkQueue(configuration.imageEncodingQueue).run { [cache] in
                cache.encode(response.container, for: request, response.urlResponse)
            }
            guard let encoded = encoded ?? nil,
                let data = await cache.willCache(encoded, response.container, for: request)
            else { return }
            let key = cache.makeDataCacheKey(for: request)
            try? await cachingQueue.run { dataCache.storeData(data, for: key) }
        }
    }

    /// Returns the data cache's entry for this very request, read on the caching queue.
    func cachedData(for request: ImageRequest) async -> Data? {
        guard !request.options.contains(.disableDiskCacheReads), let dataCache = cache.dataCache(for: request)
        else { return nil }
        let key = cache.makeDataCacheKey(for: request)
        return try? await cachingQueue.run(priority: request.priority.queuePriority) {
            dataCache.cachedData(for: key)
        }
    }
}

extension DataCaching {
    /// Returns the data of a key with its origin; reads the cache on the calling thread.
    fileprivate func loadedData(for key: String) -> LoadedData? {
        if let cache = self as? DataCache {
            return cache.findEntry(for: key).flatMap { cache.loadedData(of: $0) }
        }
        return cachedData(for: key).map {
            LoadedData(data: $0, received: nil, isStorable: false, isCached: true)
        }
    }
}
