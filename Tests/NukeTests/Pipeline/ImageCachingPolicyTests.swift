import Foundation
import Nuke
import Synchronization
import TestSupport
import Testing

/// The images that a pipeline caches, and the caches that it finds them in.
@Suite("ImagePipeline keeps images", .timeLimit(.minutes(10)))
struct ImageCachingPolicyTests {
    private let loader = ManualLoader()
    private let counter = Counter()
    private let cache = DictionaryCache()
    private let url = "http://example.com/a.jpg"

    private func pipeline(
        _ policy: ImagePipeline.DataCachePolicy = .storeOriginalData,
        delegate: (any ImagePipeline.Delegate)? = nil,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        ImagePipeline.testing(loader, counter, delegate: delegate) {
            $0.dataCache = cache
            $0.dataCachePolicy = policy
            configure(&$0)
        }
    }

    private func request(_ names: [String] = [], thumbnail: Bool = false) -> ImageRequest {
        var request = ImageRequest(url: URL(string: url), processors: names.map { Mark($0, counter) })
        if thumbnail { request.thumbnail = .init(maxPixelSize: 40) }
        return request
    }

    /// The table of what is kept under which policy: the names of what is there at the end.
    @Test(
        arguments: [
            ([], false, ["original", "original", "encoded as original", "original"]),
            (["p"], false, ["encoded", "original", "encoded", "original, encoded"]),
            (["a", "b"], false, ["encoded", "original", "encoded", "original, encoded"]),
            ([], true, ["original, encoded", "original", "encoded", "original, encoded"]),
        ] as [([String], Bool, [String])]
    )
    func policies(names: [String], thumbnail: Bool, expected: [String]) async throws {
        let policies: [ImagePipeline.DataCachePolicy] = [
            .automatic, .storeOriginalData, .storeEncodedImages, .storeAll,
        ]
        for (number, (policy, expected)) in zip(policies, expected).enumerated() {
            cache.removeAll()
            let pipeline = pipeline(policy)
            let request = request(names, thumbnail: thumbnail)
            let task = pipeline.imageTask(with: request)
            await loader.load(number).answer(Data("original".utf8))
            _ = try await task.response
            let count = expected.contains(", ") ? 2 : 1
            try await cache.waits(for: count)
            let key = pipeline.cache.makeDataCacheKey(for: request)
            let kept = cache.keys.map { name -> String in
                let data = String(decoding: cache.cachedData(for: name) ?? Data(), as: UTF8.self)
                return name == url && data == "encoded" ? "encoded as original" : data
            }
            #expect(kept.sorted(by: >).joined(separator: ", ") == expected, "\(policy), \(names)")
            if expected.hasSuffix("encoded") { #expect(cache.containsData(for: key)) }
        }
    }

    @Test func aRequestThatMayNotWriteWritesNothing() async throws {
        let pipeline = pipeline(.storeAll)
        var request = request(["p"])
        request.options = .disableDiskCacheWrites
        let task = pipeline.imageTask(with: request)
        await loader.load(0).answer(Data([1]))
        _ = try await task.response
        // Another image is encoded after it: what was to come would have come.
        var other = ImageRequest(url: URL(string: url + "?2"), processors: [Mark("p", counter)])
        other.options = .disableMemoryCache
        let next = pipeline.imageTask(with: other)
        await loader.load(1).answer(Data([2]))
        _ = try await next.response
        try await cache.waits(for: 2)
        #expect(cache.keys.allSatisfy { $0.contains("?2") })
    }

    @Test func processedImagesAreFoundOnDisk() async throws {
        let first = pipeline(.automatic)
        let task = first.imageTask(with: request(["p"]))
        await loader.load(0).answer(Data([1]))
        _ = try await task.response
        try await cache.waits(for: 1)
        let second = pipeline(.automatic)
        let response = try await second.imageTask(with: request(["p"])).response
        #expect(response.cacheType == .disk)
        #expect(loader.count == 1)
        // It was decoded from its file, not processed again; from now on it is in memory.
        #expect(counter["p"] == 1)
        #expect(try await second.imageTask(with: request(["p"])).response.cacheType == .memory)
    }

    @Test func anIntermediateImageIsFoundToo() async throws {
        let pipeline = pipeline(.automatic)
        cache.storeData(Data("encoded".utf8), for: pipeline.cache.makeDataCacheKey(for: request(["a"])))
        let response = try await pipeline.imageTask(with: request(["a", "b"])).response
        #expect(response.container.marks == ["b"])
        #expect(loader.count == 0)
    }

    @Test func anEntryThatCannotBeDecodedIsDroppedAndLoadedAnew() async throws {
        let counter = counter
        let pipeline = pipeline {
            $0.makeImageDecoder = { context in
                AnyDecoder(counter: counter, fails: context.data == Data("damaged".utf8))
            }
        }
        cache.storeData(Data("damaged".utf8), for: url)
        let task = pipeline.imageTask(with: request())
        await loader.load(0).answer(Data("good".utf8))
        #expect(try await task.response.cacheType == nil)
        #expect(cache.cachedData(for: url) == Data("good".utf8))
    }

    @Test(arguments: [[], ["p"]])
    func anEntryWhoseDecodeIsCancelledStays(names: [String]) async throws {
        let pipeline = pipeline { $0.imageDecodingQueue.isSuspended = true }
        let waiting = pipeline.configuration.imageDecodingQueue
        var request = request(names)
        cache.storeData(Data([1]), for: pipeline.cache.makeDataCacheKey(for: request))
        let task = pipeline.imageTask(with: request)
        try await eventually { waiting.operationCount == 1 }
        let operation = try #require(waiting.operations.first)
        task.cancel()
        try await eventually { operation.isCancelled }
        waiting.isSuspended = false
        request.options = .returnCacheDataDontLoad
        #expect(try await pipeline.imageTask(with: request).response.cacheType == .disk)
        #expect(cache.keys.count == 1 && loader.count == 0)
    }

    @Test func anEntryThatNoDecoderTakesStays() async throws {
        let pipeline = pipeline { $0.makeImageDecoder = { _ in nil } }
        var request = request()
        cache.storeData(Data([1]), for: url)
        request.options = .returnCacheDataDontLoad
        #expect(await pipelineError { _ = try await pipeline.image(for: request) } != nil)
        #expect(cache.cachedData(for: url) == Data([1]))
    }

    @Test func onlyCachesAreAskedWhereNothingMayBeLoaded() async throws {
        let pipeline = pipeline()
        var request = request(["p"])
        request.options = .returnCacheDataDontLoad
        let error = await pipelineError { _ = try await pipeline.image(for: request) }
        if case .dataMissingInCache = error {} else { Issue.record("\(String(describing: error))") }
        // The original does not answer for what is made of it: as in Nuke, the caches are asked for this very image.
        cache.storeData(Data([1]), for: url)
        #expect(await pipelineError { _ = try await pipeline.image(for: request) } != nil)
        request.processors = []
        #expect(try await pipeline.imageTask(with: request).response.cacheType == .disk)
        #expect(loader.count == 0)
    }

    @Test func reloadingPassesTheCachesBy() async throws {
        let pipeline = pipeline()
        cache.storeData(Data([1]), for: url)
        pipeline.cache[request()] = ImageContainer(image: PlatformImage())
        var request = request()
        request.options = .reloadIgnoringCachedData
        let task = pipeline.imageTask(with: request)
        await loader.load(0).answer(Data([2]))
        #expect(try await task.response.cacheType == nil)
        #expect(cache.cachedData(for: url) == Data([2]))
    }

    /// Changes or refuses what is stored, and gives keys of its own.
    private final class Editor: ImagePipeline.Delegate {
        let seen = Mutex<[Bool]>([])

        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            seen.withLock { $0.append(image != nil) }
            completion(image == nil ? nil : data + Data("!".utf8))
        }

        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
            "key-\(request.processors.count)"
        }
    }

    @Test func aDelegateChangesWhatIsStoredAndUnderWhichKey() async throws {
        let editor = Editor()
        let pipeline = pipeline(.storeAll, delegate: editor)
        let task = pipeline.imageTask(with: request(["p"]))
        await loader.load(0).answer(Data([1]))
        _ = try await task.response
        try await cache.waits(for: 1)
        #expect(cache.keys == ["key-1"])
        #expect(cache.cachedData(for: "key-1") == Data("encoded!".utf8))
        #expect(editor.seen.withLock { $0 } == [false, true])
        #expect(pipeline.cache.makeImageCacheKey(for: request(["q"])) == ImageCacheKey(key: "key-1"))
    }

    @Test func theCacheKeepsAndFindsImagesByHand() throws {
        let pipeline = pipeline()
        let image = ImageContainer(image: PlatformImage(width: 1, height: 1, rgba: Data(count: 4)))
        let request = request(["p"])
        pipeline.cache.storeCachedImage(image, for: request)
        #expect(pipeline.cache[request] != nil)
        #expect(pipeline.cache.containsData(for: request))
        pipeline.cache.removeCachedImage(for: request, caches: [.memory])
        #expect(pipeline.cache[request] == nil)
        #expect(pipeline.cache.containsCachedImage(for: request))
        #expect(!pipeline.cache.containsCachedImage(for: request, caches: [.memory]))
        #expect(pipeline.cache.cachedImage(for: request) != nil)
        // What was decoded is not put into memory.
        #expect(pipeline.cache[request] == nil)
        var deaf = request
        deaf.options = .disableDiskCacheReads
        #expect(pipeline.cache.cachedImage(for: deaf) == nil)
        #expect(pipeline.cache.containsData(for: deaf))
        let preview = ImageContainer(image: image.image, isPreview: true)
        pipeline.cache.storeCachedImage(preview, for: self.request())
        #expect(pipeline.cache[self.request()]?.isPreview == true)
        #expect(!pipeline.cache.containsData(for: self.request()))
        pipeline.cache.removeAll()
        #expect(cache.keys.isEmpty)
        #expect(!pipeline.cache.containsCachedImage(for: request))
        #expect(ImagePipeline.Cache.Caches.all.rawValue == 3)
    }
}
