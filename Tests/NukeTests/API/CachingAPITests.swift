import Nuke
import TestSupport
import Testing

@Suite("API: caching")
struct CachingAPITests {
    private struct Nothing: DataCaching {
        func cachedData(for key: String) -> Data? { nil }
        func containsData(for key: String) -> Bool { false }
        func storeData(_ data: Data, for key: String) {}
        func removeData(for key: String) {}
        func removeAll() {}
    }

    private final class NoImages: ImageCaching {
        subscript(key: ImageCacheKey) -> ImageContainer? {
            get { nil }
            set {}
        }
        func removeAll() {}
    }

    @Test func protocols() {
        let cache: any DataCaching & Sendable = Nothing()
        let read: (String) -> Data? = cache.cachedData(for:)
        let contains: (String) -> Bool = cache.containsData(for:)
        let store: (Data, String) -> Void = cache.storeData(_:for:)
        let remove: (String) -> Void = cache.removeData(for:)
        let removeAll: () -> Void = cache.removeAll
        store(Data(), "a")
        remove("a")
        removeAll()
        #expect(read("a") == nil && !contains("a"))
        let images: any ImageCaching & AnyObject & Sendable = NoImages()
        // A constant: setting changes what it refers to.
        images[ImageCacheKey(key: "a")] = ImageContainer(image: onePixel)
        images.removeAll()
        #expect(images[ImageCacheKey(key: "a")] == nil)
    }

    @Test func dataCache() throws {
        sendable(DataCache.self)
        let folder = try TemporaryFolder()
        let generator: @Sendable (String) -> String? = { $0 }
        let typed: DataCache.FilenameGenerator = generator
        let byName: (String, @escaping DataCache.FilenameGenerator) throws -> DataCache =
            DataCache.init(name:filenameGenerator:)
        _ = byName
        let url = URL(fileURLWithPath: folder.path("cache"))
        let cache: DataCache = try DataCache(path: url)
        let named = try DataCache(path: url, filenameGenerator: typed)
        let sizeLimit: ReferenceWritableKeyPath<DataCache, Int> = \.sizeLimit
        let path: KeyPath<DataCache, URL> = \.path
        let sweepInterval: ReferenceWritableKeyPath<DataCache, TimeInterval> = \.sweepInterval
        let isSweepEnabled: ReferenceWritableKeyPath<DataCache, Bool> = \.isSweepEnabled
        let isCompressionEnabled: ReferenceWritableKeyPath<DataCache, Bool> = \.isCompressionEnabled
        let queue: KeyPath<DataCache, DispatchQueue> = \.queue
        let item: (DataCache) -> WritableKeyPath<DataCache, Data?> = { _ in \.["a"] }
        let counts: [KeyPath<DataCache, Int>] = [\.totalCount, \.totalSize, \.totalAllocatedSize]
        #expect(isReadOnly(path) && isReadOnly(queue) && counts.allSatisfy(isReadOnly))
        #expect(cache[keyPath: sizeLimit] == 157_286_400 && cache[keyPath: path] == url)
        #expect(cache[keyPath: sweepInterval] == 1800 && cache[keyPath: isSweepEnabled])
        #expect(!cache[keyPath: isCompressionEnabled])
        #expect(cache[keyPath: queue].label == "com.github.kean.Nuke.DataCache.WriteQueue")
        #expect(!isReadOnly(item(cache)))
        let filename: (String) -> String? = DataCache.filename(for:)
        let ownName: (String) -> String? = named.filename(for:)
        let fileURL: (String) -> URL? = cache.url(for:)
        let methods: [() -> Void] = [cache.flush, cache.sweep, cache.removeAll]
        let flushOne: (String) -> Void = cache.flush(for:)
        let asCaching: any DataCaching = cache
        #expect(filename("a")?.count == 40 && ownName("a") == "a" && fileURL("") == nil)
        cache["a"] = Data([1])
        flushOne("a")
        #expect(asCaching.cachedData(for: "a") == Data([1]) && cache.containsData(for: "a"))
        cache["a"] = nil
        for method in methods { method() }
        #expect(counts.map { cache[keyPath: $0] } == [0, 0, 0])
    }

    @Test func imageCacheKey() {
        hashable(ImageCacheKey.self)
        let ofKey: (String) -> ImageCacheKey = ImageCacheKey.init(key:)
        let ofRequest: (ImageRequest) -> ImageCacheKey = ImageCacheKey.init(request:)
        let equal: (ImageCacheKey, ImageCacheKey) -> Bool = (==)
        let hash: (inout Hasher) -> Void = ofKey("a").hash(into:)
        var hasher = Hasher()
        hash(&hasher)
        #expect(equal(ofKey("a"), ofKey("a")) && !equal(ofKey("a"), ofRequest("a")))
    }

    @Test func imageCache() {
        sendable(ImageCache.self)
        let cache = ImageCache()
        let limits: [ReferenceWritableKeyPath<ImageCache, Int>] = [\.costLimit, \.countLimit]
        let ttl: ReferenceWritableKeyPath<ImageCache, TimeInterval?> = \.ttl
        let entryLimit: ReferenceWritableKeyPath<ImageCache, Double> = \.entryCostLimit
        let totals: [KeyPath<ImageCache, Int>] = [\.totalCount, \.totalCost]
        #expect(limits.map { cache[keyPath: $0] } == [ImageCache.defaultCostLimit, .max])
        #expect(cache[keyPath: ttl] == nil && cache[keyPath: entryLimit] == 0.1)
        #expect(totals.allSatisfy(isReadOnly) && totals.map { cache[keyPath: $0] } == [0, 0])
        let small = [
            ImageCache(costLimit: 9), ImageCache(countLimit: 9), ImageCache(costLimit: 9, countLimit: 9),
        ]
        #expect(small.map(\.costLimit) == [9, ImageCache.defaultCostLimit, 9])
        let shared: ImageCache = ImageCache.shared
        let asCaching: any ImageCaching = cache
        #expect(shared !== asCaching)
        let removeAll: () -> Void = cache.removeAll
        let trims: [(Int) -> Void] = [cache.trim(toCost:), cache.trim(toCount:)]
        cache[ImageCacheKey(key: "a")] = ImageContainer(image: onePixel)
        #expect(asCaching[ImageCacheKey(key: "a")] != nil)
        for trim in trims { trim(0) }
        removeAll()
        #expect(cache.totalCount == 0)
    }
}
