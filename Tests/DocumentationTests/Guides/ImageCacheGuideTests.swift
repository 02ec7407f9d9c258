import LoopbackServer
import Nuke
import Testing

/// The memory cache used by itself and beside a pipeline.
@Suite("Guide: ImageCache by itself", .timeLimit(.minutes(10)))
struct ImageCacheGuideTests {
    private func image(_ side: Int = 10) -> PlatformImage {
        PlatformImage(width: side, height: side, rgba: Data(repeating: 200, count: side * side * 4))
    }

    @Test func keepsImagesByRequests() throws {
        let cache = ImageCache()
        let request = ImageRequest(
            url: URL(string: "http://example.com/a.jpg"),
            processors: [.resize(width: 40)]
        )
        cache[ImageCacheKey(request: request)] = ImageContainer(image: image())
        var other = request
        other.priority = .veryHigh
        #expect(cache[ImageCacheKey(request: other)] != nil)
        other.processors = []
        #expect(cache[ImageCacheKey(request: other)] == nil)
        cache[ImageCacheKey(request: request)] = nil
        #expect(cache.totalCount == 0)
    }

    @Test func keepsImagesByNames() {
        let cache = ImageCache(costLimit: 1024 * 1024, countLimit: 2)
        for name in ["a", "b", "c"] {
            cache[ImageCacheKey(key: name)] = ImageContainer(image: image())
        }
        #expect(cache.totalCount == 2)
        #expect(cache.totalCost == 800)
        #expect(cache[ImageCacheKey(key: "c")] != nil)
        cache.trim(toCount: 1)
        #expect(cache.totalCount == 1)
        cache.trim(toCost: 0)
        #expect(cache.totalCost == 0)
    }

    @Test func limitsOfTheSharedOneCanBeSet() {
        let limits = (ImageCache.shared.costLimit, ImageCache.shared.countLimit)
        ImageCache.shared.costLimit = 300 * 1024 * 1024
        ImageCache.shared.countLimit = 10_000
        #expect(ImageCache.shared.costLimit == 300 * 1024 * 1024)
        (ImageCache.shared.costLimit, ImageCache.shared.countLimit) = limits
        #expect(ImageCache.shared.costLimit == ImageCache.defaultCostLimit)
    }

    @Test func forgetsWhatHasExpired() {
        let cache = ImageCache()
        cache.ttl = -1
        cache[ImageCacheKey(key: "a")] = ImageContainer(image: image())
        #expect(cache[ImageCacheKey(key: "a")] == nil)
        cache.ttl = nil
        cache[ImageCacheKey(key: "a")] = ImageContainer(image: image())
        #expect(cache[ImageCacheKey(key: "a")] != nil)
    }

    @Test func thePipelineReadsAndFillsIt() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let cache = ImageCache()
        let pipeline = ImagePipeline { $0.imageCache = cache }
        cache[ImageCacheKey(request: ImageRequest(url: url))] = ImageContainer(image: image())
        #expect(try await pipeline.image(for: url) == image())
        #expect(pipeline.cache[url]?.image == image())
        pipeline.cache[url] = nil
        #expect(try await pipeline.image(for: url).width == 640)
        #expect(cache.totalCount == 1)
        _ = try await pipeline.image(for: ImageRequest(url: url, options: [.disableMemoryCacheReads]))
        #expect(server.requests.count == 2)
        let unkept = ImageRequest(url: server.url("/2"), options: [.disableMemoryCacheWrites])
        _ = try await pipeline.image(for: unkept)
        #expect(cache.totalCount == 1)
    }

    /// A cache that somebody else wrote.
    @Test func anotherCacheMayStandThere() async throws {
        let server = try Photographs.server()
        let cache = CountedCache()
        let pipeline = ImagePipeline { $0.imageCache = cache }
        for _ in 0..<2 { _ = try await pipeline.image(for: server.url("/photo.jpg")) }
        #expect(cache.hits == 1)
        #expect(server.requests.count == 1)
    }
}
