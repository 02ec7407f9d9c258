import LoopbackServer
import Nuke
import TestSupport
import Testing

/// A cache of a third party behind the loader and behind the pipeline.
@Suite("Guide: third-party cache", .timeLimit(.minutes(10)))
struct ThirdPartyCacheTests {
    private let folder: TemporaryFolder
    private let cache: ValueCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try ValueCache(folder: folder.path("values"))
    }

    private func behindTheLoader() -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = CachingDataLoader(DataLoader(), cache: ValueResponseCache(cache))
            $0.imageCache = nil
        }
    }

    private func behindThePipeline(_ policy: ImagePipeline.DataCachePolicy) -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = DataLoader()
            $0.imageCache = nil
            $0.dataCache = ValueDataCache(cache: cache)
            $0.dataCachePolicy = policy
        }
    }

    @Test func answersForTheNetworkWithTheResponse() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let first = try await behindTheLoader().imageTask(with: url).response
        // Another process would find it as well: what is in memory is dropped.
        let again = try ValueCache(folder: folder.path("values"))
        let pipeline = ImagePipeline {
            $0.dataLoader = CachingDataLoader(DataLoader(), cache: ValueResponseCache(again))
            $0.imageCache = nil
        }
        let second = try await pipeline.imageTask(with: url).response
        #expect(second.image == first.image)
        #expect((second.urlResponse as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"1\"")
        #expect(server.requests.count == 1)
    }

    @Test func keepsNothingOfWhatFailed() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/cut": .init(body: .truncated(Data(count: 10), declaredLength: 20))
            case "/empty": .data(Data())
            default: .status(500)
            }
        }
        for path in ["/cut", "/empty", "/broken"] {
            let url = server.url(path)
            await #expect(throws: ImagePipeline.Error.self) { try await behindTheLoader().data(for: url) }
        }
        #expect(cache.count == 0)
    }

    @Test func keepsOriginals() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        let request = ImageRequest(url: url, processors: [.resize(width: 100)])
        let pipeline = behindThePipeline(.storeOriginalData)
        #expect(try await pipeline.image(for: request).width == 100)
        #expect(try cache.value(forKey: url.absoluteString) == Photographs.jpeg())
        let response = try await pipeline.imageTask(with: url).response
        #expect(response.cacheType == .disk)
        #expect(response.urlResponse == nil)
        #expect(server.requests.count == 1)
    }

    @Test func keepsProcessedImages() async throws {
        let server = try Photographs.server()
        let request = ImageRequest(url: server.url("/photo.jpg"), processors: [.resize(width: 100)])
        let pipeline = behindThePipeline(.automatic)
        _ = try await pipeline.image(for: request)
        let key = pipeline.cache.makeDataCacheKey(for: request)
        // What another cache of the folder finds is in its file, and not in memory alone.
        let other = try ValueCache(folder: folder.path("values"))
        try await eventually { other.value(forKey: key) != nil }
        #expect(cache.count == 1)
        #expect(cache.value(forKey: key).flatMap { PlatformImage(data: $0) }?.width == 100)
        #expect(try await pipeline.imageTask(with: request).response.cacheType == .disk)
        pipeline.cache.removeAll(caches: [.disk])
        #expect(cache.count == 0)
    }
}
