import Foundation
import FoundationNetworking

extension ImagePipeline.Cache {
    /// A set of caches.
    public struct Caches: OptionSet, Sendable {
        /// The raw bits.
        public let rawValue: Int

        /// Caches with these bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The image cache.
        public static let memory = Caches(rawValue: 1 << 0)
        /// The data cache.
        public static let disk = Caches(rawValue: 1 << 1)
        /// Both.
        public static let all: Caches = [.memory, .disk]
    }

    /// Returns the image of `request` from memory, or decoded from the data cache on the calling thread.
    ///
    /// Honours the request's options. A decoded image is not stored in memory.
    public func cachedImage(for request: ImageRequest, caches: Caches = [.all]) -> ImageContainer? {
        if caches.contains(.memory), let image = memoryImage(for: request) { return image }
        guard caches.contains(.disk), let data = cachedData(for: request) else { return nil }
        var context = ImageDecodingContext(request: request, data: data, cacheType: .disk)
        context.isFinal = request.isChanged
        let decoder = pipeline.delegate.imageDecoder(for: context, pipeline: pipeline)
        return try? decoder?.decode(data)
    }

    /// Stores an image for `request` in memory, and encoded on the calling thread in the data cache.
    ///
    /// Honours the request's options; previews are never stored on disk.
    public func storeCachedImage(
        _ image: ImageContainer,
        for request: ImageRequest,
        caches: Caches = [.all]
    ) {
        if caches.contains(.memory) { storeMemoryImage(image, for: request) }
        guard caches.contains(.disk), !image.isPreview, let data = encode(image, for: request) else { return }
        storeCachedData(data, for: request)
    }

    /// Removes the image of `request`, regardless of its options.
    public func removeCachedImage(for request: ImageRequest, caches: Caches = [.all]) {
        if caches.contains(.memory) { imageCache(for: request)?[makeImageCacheKey(for: request)] = nil }
        if caches.contains(.disk) { removeCachedData(for: request) }
    }

    /// True if there is an image of `request`; on disk regardless of its options.
    public func containsCachedImage(for request: ImageRequest, caches: Caches = [.all]) -> Bool {
        (caches.contains(.memory) && memoryImage(for: request) != nil)
            || (caches.contains(.disk) && containsData(for: request))
    }

    /// Removes everything from the configuration's caches, but not from those of a delegate.
    public func removeAll(caches: Caches = [.all]) {
        if caches.contains(.memory) { pipeline.configuration.imageCache?.removeAll() }
        if caches.contains(.disk) { pipeline.configuration.dataCache?.removeAll() }
    }

    /// Returns an image encoded by the delegate's encoder; nil if it cannot be encoded.
    func encode(_ image: ImageContainer, for request: ImageRequest, _ response: URLResponse? = nil) -> Data? {
        let context = ImageEncodingContext(request: request, image: image.image, urlResponse: response)
        let encoder = pipeline.delegate.imageEncoder(for: context, pipeline: pipeline)
        let data = encoder.encode(image, context: context)
        return data?.isEmpty == true ? nil : data
    }

    /// Returns the data that the delegate allows to be stored; nil for none.
    func willCache(_ data: Data, _ image: ImageContainer?, for request: ImageRequest) async -> Data? {
        if pipeline.delegate is DefaultDelegate { return data }
        return await pipeline.delegate.willCache(data: data, image: image, for: request, pipeline: pipeline)
    }
}
