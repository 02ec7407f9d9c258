import Foundation
import Nuke
import Testing

/// The caches of a pipeline as its users reach them.
@Suite("ImagePipeline.Cache", .timeLimit(.minutes(10)))
struct ImagePipelineCacheTests {
    private let images = CountingImageCache()
    private let data = CountingDataCache()
    private let url = "http://example.com/a.jpg"
    private let image = ImageContainer(image: PlatformImage(width: 1, height: 1, rgba: Data(count: 4)))

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(QueuedLoader()) {
            $0.imageCache = images
            $0.dataCache = data
            configure(&$0)
        }
    }

    private func request(_ options: ImageRequest.Options = []) -> ImageRequest {
        ImageRequest(url: URL(string: url), options: options)
    }

    @Test func subscriptsAreOfMemoryAlone() throws {
        let cache = pipeline().cache
        let address = try #require(URL(string: url))
        cache[address] = image
        #expect(cache[request()]?.image === image.image && data.entries.isEmpty)
        cache[request()] = nil
        #expect(cache[address] == nil)
        data.storeData(Data([1]), for: url)
        #expect(cache[request()] == nil)
    }

    @Test func optionsHoldForReadingAndStoring() {
        let cache = pipeline().cache
        cache.storeCachedImage(image, for: request([.disableMemoryCacheWrites, .disableDiskCacheWrites]))
        #expect(!cache.containsCachedImage(for: request()))
        cache.storeCachedData(Data([1]), for: request(.disableDiskCacheWrites))
        #expect(data.entries.isEmpty)
        cache.storeCachedImage(image, for: request(.disableMemoryCacheWrites))
        #expect(cache[request()] == nil && cache.containsData(for: request()))
        cache.storeCachedImage(image, for: request())
        #expect(cache[request(.disableMemoryCacheReads)] == nil)
        #expect(cache.cachedData(for: request(.disableDiskCacheReads)) == nil)
        #expect(cache.cachedImage(for: request(.reloadIgnoringCachedData)) == nil)
        #expect(cache.cachedImage(for: request(.disableMemoryCacheReads)) != nil)
    }

    @Test func optionsDoNotHoldForLookingAndRemoving() {
        let cache = pipeline().cache
        cache.storeCachedImage(image, for: request())
        #expect(cache.containsData(for: request(.disableDiskCacheReads)))
        #expect(cache.containsCachedImage(for: request(.disableDiskCacheReads), caches: .disk))
        cache.removeCachedImage(for: request([.disableMemoryCache, .disableDiskCache]))
        #expect(!cache.containsCachedImage(for: request()))
        cache.storeCachedData(Data([1]), for: request())
        cache.removeCachedData(for: request(.disableDiskCacheWrites))
        #expect(!cache.containsData(for: request()))
    }

    @Test func eachCacheIsAskedForItsOwn() {
        let cache = pipeline().cache
        cache.storeCachedImage(image, for: request(), caches: .memory)
        #expect(cache.containsCachedImage(for: request()))
        #expect(cache.containsCachedImage(for: request(), caches: .memory))
        #expect(!cache.containsCachedImage(for: request(), caches: .disk))
        #expect(cache.cachedImage(for: request(), caches: .disk) == nil)
        cache.removeAll()
        cache.storeCachedImage(image, for: request(), caches: .disk)
        #expect(cache.containsCachedImage(for: request()))
        #expect(!cache.containsCachedImage(for: request(), caches: .memory))
        #expect(cache.cachedImage(for: request(), caches: .memory) == nil)
        #expect(cache.cachedImage(for: request()) != nil && cache[request()] == nil, "not put into memory")
        cache.removeAll(caches: .memory)
        #expect(cache.containsData(for: request()))
        cache.removeAll(caches: .disk)
        #expect(!cache.containsData(for: request()))
    }

    @Test(arguments: [true, false])
    func previewsAreKeptInMemoryIfWantedAndNeverOnDisk(isWanted: Bool) {
        let cache = pipeline { $0.isStoringPreviewsInMemoryCache = isWanted }.cache
        let preview = ImageContainer(image: image.image, isPreview: true)
        cache[request()] = preview
        #expect((cache[request()] != nil) == isWanted)
        cache.removeAll()
        cache.storeCachedImage(preview, for: request())
        #expect((cache[request()]?.isPreview == true) == isWanted)
        #expect(data.entries.isEmpty)
    }

    @Test func whatCannotBeEncodedOrDecodedIsNotThere() {
        struct Mute: ImageEncoding {
            let data: Data?
            func encode(_ image: PlatformImage) -> Data? { data }
        }
        for nothing in [nil, Data()] {
            let cache = pipeline { $0.makeImageEncoder = { _ in Mute(data: nothing) } }.cache
            cache.storeCachedImage(image, for: request(), caches: .disk)
            #expect(data.entries.isEmpty)
        }
        let cache = pipeline { $0.makeImageDecoder = { _ in nil } }.cache
        cache.storeCachedData(Data([1]), for: request())
        #expect(cache.cachedImage(for: request()) == nil && cache.containsData(for: request()))
    }

    @Test func withoutCachesNothingIsKept() {
        let cache = pipeline {
            $0.imageCache = nil
            $0.dataCache = nil
        }.cache
        cache.storeCachedImage(image, for: request())
        cache.storeCachedData(Data([1]), for: request())
        #expect(!cache.containsCachedImage(for: request()) && cache.cachedData(for: request()) == nil)
        cache.removeCachedImage(for: request())
        cache.removeAll()
        #expect(images.writes == 0 && data.writes.isEmpty)
    }
}
