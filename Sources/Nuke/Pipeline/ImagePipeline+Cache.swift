import Files
public import Foundation
import FoundationNetworking

extension ImagePipeline {
    /// The caches of the pipeline, accessed by request.
    public struct Cache: Sendable {
        let pipeline: ImagePipeline

        /// The image for `url` in the image cache; setting nil removes it.
        public subscript(url: URL) -> ImageContainer? {
            get { self[ImageRequest(url: url)] }
            nonmutating set { self[ImageRequest(url: url)] = newValue }
        }

        /// The image for `request` in the image cache; setting nil removes it.
        ///
        /// Honours the request's options, and `isStoringPreviewsInMemoryCache` for previews.
        public subscript(request: ImageRequest) -> ImageContainer? {
            get { memoryImage(for: request) }
            nonmutating set {
                if let newValue {
                    storeMemoryImage(newValue, for: request)
                } else {
                    imageCache(for: request)?[makeImageCacheKey(for: request)] = nil
                }
            }
        }

        /// Returns the data for `request` in the disk cache; nil without any, or if the request must not read that cache.
        public func cachedData(for request: ImageRequest) -> Data? {
            guard !request.options.contains(.disableDiskCacheReads), let cache = dataCache(for: request)
            else { return nil }
            return cache.cachedData(for: makeDataCacheKey(for: request))
        }

        /// Stores `data` for `request` in the disk cache, unless the request forbids it.
        public func storeCachedData(_ data: Data, for request: ImageRequest) {
            guard !request.options.contains(.disableDiskCacheWrites) else { return }
            dataCache(for: request)?.storeData(data, for: makeDataCacheKey(for: request))
        }

        /// True if the disk cache has data for `request`.
        public func containsData(for request: ImageRequest) -> Bool {
            dataCache(for: request)?.containsData(for: makeDataCacheKey(for: request)) ?? false
        }

        /// Removes the data for `request` from the disk cache.
        public func removeCachedData(for request: ImageRequest) {
            dataCache(for: request)?.removeData(for: makeDataCacheKey(for: request))
        }

        /// Returns the key of `request` in the image cache.
        public func makeImageCacheKey(for request: ImageRequest) -> ImageCacheKey {
            if let key = pipeline.delegate.cacheKey(for: request, pipeline: pipeline) {
                return ImageCacheKey(key: key)
            }
            return ImageCacheKey(request: request)
        }

        /// Returns the key of `request` in the disk cache.
        public func makeDataCacheKey(for request: ImageRequest) -> String {
            pipeline.delegate.cacheKey(for: request, pipeline: pipeline) ?? request.dataCacheKey
        }

        func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
            pipeline.delegate.imageCache(for: request, pipeline: pipeline)
        }

        func memoryImage(for request: ImageRequest) -> ImageContainer? {
            guard !request.options.contains(.disableMemoryCacheReads) else { return nil }
            return imageCache(for: request)?[makeImageCacheKey(for: request)]
        }

        func storeMemoryImage(_ image: ImageContainer, for request: ImageRequest) {
            guard !request.options.contains(.disableMemoryCacheWrites),
                !image.isPreview || pipeline.configuration.isStoringPreviewsInMemoryCache
            else { return }
            imageCache(for: request)?[makeImageCacheKey(for: request)] = image
        }

        func dataCache(for request: ImageRequest) -> (any DataCaching)? {
            pipeline.delegate.dataCache(for: request, pipeline: pipeline)
        }

        /// Stores the original data for `request`; returns once reads see it.
        func store(_ loaded: LoadedData, for request: ImageRequest, on queue: WorkQueue) async {
            guard let cache = dataCache(for: request),
                let data = await willCache(loaded.data, nil, for: request)
            else { return }
            let key = makeDataCacheKey(for: request.original)
            if let cache = cache as? DataCache {
                var metadata = DataCache.Metadata(loaded.received)
                // A delegate may have changed the bytes.
                let isSame = pipeline.delegate is DefaultDelegate
                metadata.sha256 = isSame ? loaded.sha256 ?? Data() : Data()
                await cache.stage(
                    data,
                    for: key,
                    metadata: metadata,
                    file: isSame ? loaded.file : nil,
                    replacing: loaded.partial
                )
            } else {
                try? await queue.run { cache.storeData(data, for: key) }
            }
        }
    }
}
