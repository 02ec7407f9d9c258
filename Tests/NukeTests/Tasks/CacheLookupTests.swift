import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// The caches that the pipeline reads for a request, their order, the number of lookups, and the entries written.
@Suite("ImagePipeline asks its caches", .timeLimit(.minutes(10)))
struct CacheLookupTests {
    private let loader = QueuedLoader()
    private let counter = Counter()
    private let images = CountingImageCache()
    private let data = CountingDataCache()
    private let url = "http://example.com/a.jpg"
    private let image = ImageContainer(image: PlatformImage(width: 1, height: 1, rgba: Data(count: 4)))

    private func pipeline(
        _ policy: ImagePipeline.DataCachePolicy = .storeOriginalData,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        ImagePipeline.testing(loader, counter) {
            $0.imageCache = images
            $0.dataCache = data
            $0.dataCachePolicy = policy
            configure(&$0)
        }
    }

    private func request(_ names: String..., options: ImageRequest.Options = []) -> ImageRequest {
        ImageRequest(url: URL(string: url), processors: names.map { Mark($0, counter) }, options: options)
    }

    /// Reads of memory, writes to it, reads of the disk, writes to it, loads.
    private var counts: [Int] {
        [images.reads, images.writes, data.reads.count, data.writes.count, loader.createdTaskCount]
    }

    private func response(_ request: ImageRequest, _ pipeline: ImagePipeline) async throws -> ImageResponse {
        images.resetCounts()
        data.resetCounts()
        return try await pipeline.imageTask(with: request).response
    }

    @Test func anImageInMemoryEndsTheSearch() async throws {
        let pipeline = pipeline()
        pipeline.cache.storeCachedImage(image, for: request("a", "b"))
        let response = try await response(request("a", "b"), pipeline)
        #expect(response.cacheType == .memory && response.image === image.image)
        #expect(counts == [1, 0, 0, 0, 0])
    }

    @Test func anImageOnDiskIsPutIntoMemory() async throws {
        let pipeline = pipeline()
        pipeline.cache.storeCachedImage(image, for: request("a", "b"), caches: .disk)
        pipeline.cache.storeCachedImage(image, for: request("a"), caches: .memory)
        #expect(try await response(request("a", "b"), pipeline).cacheType == .disk)
        #expect(counts == [1, 1, 1, 0, 0])
        #expect(pipeline.cache[request("a", "b")] != nil)
    }

    @Test func anIntermediateImageInMemoryIsProcessedFurther() async throws {
        let pipeline = pipeline()
        pipeline.cache.storeCachedImage(image, for: request("a"), caches: .memory)
        pipeline.cache.storeCachedImage(image, for: request(), caches: .memory)
        let response = try await response(request("a", "b"), pipeline)
        #expect(response.cacheType == .memory && response.container.marks == ["b"])
        #expect(counts == [2, 1, 1, 0, 0])
    }

    @Test func theOriginalImageInMemoryIsProcessed() async throws {
        let pipeline = pipeline()
        pipeline.cache.storeCachedImage(image, for: request())
        let response = try await response(request("a", "b"), pipeline)
        #expect(response.cacheType == .memory && response.container.marks == ["a", "b"])
        #expect(counts == [3, 1, 2, 0, 0])
    }

    @Test func theOriginalOnDiskIsProcessedAndNotStoredAgain() async throws {
        for policy: ImagePipeline.DataCachePolicy in [.storeOriginalData, .automatic, .storeAll] {
            let pipeline = pipeline(policy)
            images.removeAll()
            data.removeAll()
            pipeline.cache.storeCachedImage(image, for: request(), caches: .disk)
            let response = try await response(request("a", "b"), pipeline)
            #expect(response.cacheType == .disk && response.container.marks == ["a", "b"])
            #expect(counts == [3, 1, 3, 0, 0])
        }
        // What was to be encoded would have been before the image of another request.
        let pipeline = pipeline(.automatic)
        let other = ImageRequest(url: URL(string: url + "?2"), processors: [Mark("a")])
        _ = try await pipeline.image(for: other)
        try await eventually { data.entries.count == 2 }
        #expect(Set(data.entries.keys) == [url, pipeline.cache.makeDataCacheKey(for: other)])
    }

    @Test func eachCacheIsAskedOnceForEachImageOnTheWay() async throws {
        let pipeline = pipeline()
        let response = try await response(request("a", "b"), pipeline)
        #expect(response.cacheType == nil && response.container.marks == ["a", "b"])
        #expect(counts == [3, 1, 3, 1, 1])
        let keys = [request("a", "b"), request("a"), request()].map(pipeline.cache.makeDataCacheKey)
        #expect(data.reads == keys && data.writes == [url])
    }

    @Test func optionsPassCachesBy() async throws {
        let pipeline = pipeline()
        pipeline.cache.storeCachedImage(image, for: request(), caches: .disk)
        _ = try await response(request("a", options: .disableDiskCacheReads), pipeline)
        #expect(counts == [2, 1, 0, 1, 1])
        _ = try await response(request("b", options: .disableMemoryCacheReads), pipeline)
        #expect(counts == [0, 1, 2, 0, 1])
        _ = try await response(request("c", options: .disableMemoryCacheWrites), pipeline)
        #expect(counts == [2, 0, 2, 0, 1])
        data.removeAll()
        _ = try await response(request("d", options: .disableDiskCacheWrites), pipeline)
        #expect(counts == [2, 1, 2, 0, 2])
        _ = try await response(request("d", options: .reloadIgnoringCachedData), pipeline)
        #expect(counts == [0, 1, 0, 1, 3])
    }

    @Test func dataIsAskedForOnce() async throws {
        let pipeline = pipeline()
        images.resetCounts()
        #expect(try await pipeline.data(for: request()).1 != nil)
        #expect(counts == [0, 0, 1, 1, 1])
        let (cached, response) = try await pipeline.data(for: request())
        #expect(cached.count == 40 && response == nil)
        #expect(counts == [0, 0, 2, 1, 1])
        _ = try await pipeline.data(for: request(options: .reloadIgnoringCachedData))
        #expect(counts == [0, 0, 2, 2, 2])
    }

    @Test func aThumbnailIsMadeOfTheOriginalOnDisk() async throws {
        let file = try MadeImages.file(640, 480)
        let pipeline = pipeline { $0.makeImageDecoder = { ImageDecoders.Default(context: $0) } }
        data.storeData(file, for: url)
        var thumbnail = request()
        thumbnail.thumbnail = .init(maxPixelSize: 400)
        let small = try await response(thumbnail, pipeline)
        #expect(small.cacheType == .disk && small.image.width == 400)
        #expect(counts == [1, 1, 2, 0, 0])
        // With processors the original image is what is looked for.
        thumbnail.processors = [Mark("a")]
        #expect(try await response(thumbnail, pipeline).cacheType == .memory)
    }

    #if GIF
    @Test(arguments: [true, false], [ImagePipeline.DataCachePolicy.automatic, .storeEncodedImages])
    func aGIFThatWasMadeSmallerIsFoundSmaller(
        isThumbnail: Bool,
        policy: ImagePipeline.DataCachePolicy
    ) async throws {
        let pipeline = pipeline(policy) {
            $0.imageCache = nil
            $0.makeImageDecoder = { ImageDecoders.Default(context: $0) }
            $0.makeImageEncoder = { _ in ImageEncoders.Default() }
        }
        var request = ImageRequest(url: URL(string: url), processors: isThumbnail ? [] : [.resize(width: 30)])
        if isThumbnail { request.thumbnail = .init(maxPixelSize: 30) }
        let source = try #require(request.url)
        let file = MadeGIF.data
        loader.answer(source, .success((file, QueuedLoader.response(source, length: file.count))))
        let made = try await response(request, pipeline)
        #expect(made.cacheType == nil && made.image.width == 30)
        let key = pipeline.cache.makeDataCacheKey(for: request)
        try await eventually { data.entries[key] != nil }
        let found = try await response(request, pipeline)
        #expect(found.cacheType == .disk && found.image.width == 30)
        #expect(pipeline.cache.cachedImage(for: request)?.image.width == 30)
    }
    #endif

    @Test func whatWasStoredIsNotMadeSmallerOnceMore() async throws {
        let larger = ImageProcessors.Anonymous(id: "larger") {
            ImageProcessors.Resize(width: 200, upscale: true).process($0)
        }
        var request = ImageRequest(url: URL(string: url), processors: [.resize(width: 50), larger])
        let pipeline = pipeline(.storeAll) { $0.makeImageDecoder = { ImageDecoders.Default(context: $0) } }
        let stored = try #require(PlatformImage(data: try MadeImages.file(200, 150)))
        pipeline.cache.storeCachedImage(ImageContainer(image: stored), for: request, caches: .disk)
        data.storeData(try MadeImages.file(200, 150), for: pipeline.cache.makeDataCacheKey(for: request))
        #expect(try await response(request, pipeline).image.width == 200)
        #expect(pipeline.cache.cachedImage(for: request, caches: .disk)?.image.width == 200)
        request.thumbnail = .init(maxPixelSize: 20)
        data.storeData(try MadeImages.file(200, 150), for: pipeline.cache.makeDataCacheKey(for: request))
        #expect(try await response(request, pipeline).image.width == 200)
    }
}
