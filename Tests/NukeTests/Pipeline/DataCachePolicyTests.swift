import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

@Suite("ImagePipeline keeps data", .timeLimit(.minutes(10)))
struct DataCachePolicyTests {
    private struct Sepia: ImageProcessing {
        let identifier = "sepia"

        func process(_ image: PlatformImage) -> PlatformImage? { image }
    }

    private let folder: TemporaryFolder
    private let cache: DataCache
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
        server = try LoopbackServer {
            LoopbackServer.Response(headers: [("ETag", "\"1\"")], body: .data(Data($0.path.utf8)))
        }
    }

    private func pipeline(
        _ policy: ImagePipeline.DataCachePolicy = .storeOriginalData,
        delegate: (any ImagePipeline.Delegate)? = nil
    ) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: CurlDataLoader())
        configuration.dataCache = cache
        configuration.dataCachePolicy = policy
        return ImagePipeline(configuration: configuration, delegate: delegate)
    }

    private func request(_ options: ImageRequest.Options = [], processed: Bool = false) -> ImageRequest {
        ImageRequest(url: server.url("/a"), processors: processed ? [Sepia()] : [], options: options)
    }

    @Test(arguments: [true, false])
    func originalsOfThisMachineAreNotKept(isSupported: Bool) async throws {
        var loading = CurlDataLoader.Configuration()
        loading.schemes = ["file", "data"]
        var configuration = ImagePipeline.Configuration(dataLoader: CurlDataLoader(configuration: loading))
        configuration.dataCache = cache
        configuration.isLocalResourcesSupportEnabled = isSupported
        let pipeline = ImagePipeline(configuration: configuration)
        let file = URL(fileURLWithPath: try folder.write("local", to: "local.txt"))
        for url in [file, try #require(URL(string: "data:,local"))] {
            #expect(try await pipeline.data(for: url).0 == Data("local".utf8))
        }
        cache.flush()
        #expect(cache.totalCount == 0)
    }

    @Test(arguments: [
        (ImagePipeline.DataCachePolicy.automatic, true, false),
        (.storeOriginalData, true, true),
        (.storeEncodedImages, false, false),
        (.storeAll, true, true),
    ])
    func theOriginalIsKeptAsThePolicySays(
        policy: ImagePipeline.DataCachePolicy,
        plain: Bool,
        processed: Bool
    ) async throws {
        for (isProcessed, isKept) in [(true, processed), (false, plain)] {
            cache.removeAll()
            _ = try await pipeline(policy).data(for: request(processed: isProcessed))
            #expect(cache.containsData(for: server.url("/a").absoluteString) == isKept)
            cache.flush()
            #expect(cache.totalCount == (isKept ? 1 : 0))
        }
    }

    @Test func theSecondRequestComesFromTheCache() async throws {
        let pipeline = pipeline()
        let (loaded, response) = try await pipeline.data(for: request())
        #expect(response != nil)
        let (cached, none) = try await pipeline.data(for: request(.returnCacheDataDontLoad))
        #expect(cached == loaded)
        #expect(none == nil)
        // The original serves requests with processors too.
        #expect(try await pipeline.data(for: request(processed: true)).0 == loaded)
        #expect(server.requests.count == 1)
        #expect(pipeline.cache.cachedData(for: request()) == loaded)
        #expect(pipeline.cache.containsData(for: request()))
        pipeline.cache.removeCachedData(for: request())
        #expect(!pipeline.cache.containsData(for: request()))
    }

    @Test func theResponseIsDescribedInTheCache() async throws {
        _ = try await pipeline().data(for: request())
        let key = server.url("/a").absoluteString
        try await cache.waitUntilStored(key)
        #expect(cache.metadata(for: key)?.etag == "\"1\"")
        #expect(cache.metadata(for: key)?.finalURL == key)
    }

    @Test func optionsKeepFromTheCache() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.data(for: request(.disableDiskCacheWrites))
        #expect(!pipeline.cache.containsData(for: request()))
        _ = try await pipeline.data(for: request())
        #expect(server.requests.count == 2)
        _ = try await pipeline.data(for: request(.disableDiskCacheReads))
        _ = try await pipeline.data(for: request(.reloadIgnoringCachedData))
        #expect(server.requests.count == 4)
    }

    @Test func everySubscribersKeyGetsTheOriginal() async throws {
        let gate = Gate()
        let held = try LoopbackServer { _ in
            var response = LoopbackServer.Response.data(Data([1]))
            response.hold = { if $0 == .beforeHead { gate.wait() } }
            return response
        }
        defer { held.stop() }
        let pipeline = pipeline()
        var requests = [ImageRequest(url: held.url("/a")), ImageRequest(url: held.url("/a"))]
        requests[0].imageID = "one"
        requests[1].imageID = "two"
        let first = pipeline.dataTask(with: requests[0])
        _ = await held.requests(atLeast: 1)
        let second = pipeline.dataTask(with: requests[1])
        // It has joined when its priority reaches the transfer, or it loads by itself and is served too.
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        for task in [first, second] { _ = try await task.value }
        #expect(cache["one"] == Data([1]))
        #expect(cache["two"] == Data([1]))
    }

    @Test func localFilesAreReadAndNotKept() async throws {
        let pipeline = pipeline()
        let path = try folder.write(Data([1, 2, 3]), to: "some file.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"),
            withDestinationPath: path
        )
        for name in [path, folder.path("link")] {
            let (data, response) = try await pipeline.data(for: ImageRequest(url: URL(fileURLWithPath: name)))
            #expect(data == Data([1, 2, 3]))
            #expect(response == nil)
        }
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.data(for: ImageRequest(url: URL(fileURLWithPath: folder.path("missing"))))
        }
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.data(for: ImageRequest(url: URL(fileURLWithPath: "/dev/zero")))
        }
        cache.flush()
        #expect(cache.totalCount == 0)
    }

    @Test(arguments: [
        ("data:,A%20brief%20note", "A brief note"),
        ("data:text/plain;base64,SGVsbG8=", "Hello"),
        ("DATA:image/png;charset=x;BASE64,SGVsbG8", "Hello"),
        ("data:;base64,SGVs%62G8%3D", "Hello"),
    ])
    func dataURLsCarryTheirData(text: String, content: String) async throws {
        let url = try #require(URL(string: text))
        #expect(try await pipeline().data(for: ImageRequest(url: url)).0 == Data(content.utf8))
    }

    @Test(arguments: ["data:nothing", "data:,", "data:;base64,A", "data:;base64,!!!!"])
    func dataURLsWithoutDataFail(text: String) async throws {
        let url = try #require(URL(string: text))
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline().data(for: ImageRequest(url: url))
        }
    }

    /// The file that a large body arrives in does not hold what a delegate makes of it.
    @Test func whatADelegateMakesOfALargeBodyIsKept() async throws {
        let body = LargeBody()
        let large = try LoopbackServer { body.respond(to: $0) }
        let url = large.url("/large")
        _ = try await pipeline(delegate: Reversing()).data(for: url)
        try await cache.waitUntilStored(url.absoluteString)
        #expect(cache[url.absoluteString] == Data(body.data.reversed()))
        #expect(try cache.verify().removed.isEmpty)
    }

    private final class Reversing: ImagePipeline.Delegate {
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline
        ) async -> Data? {
            Data(data.reversed())
        }
    }

    @Test func theDelegateDecidesForSingleRequests() async throws {
        let other = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("other")))
        let delegate = Deciding(cache: other)
        let pipeline = pipeline(delegate: delegate)
        _ = try await pipeline.data(for: request())
        #expect(other["a key of its own"] == Data("/a".utf8))
        cache.flush()
        #expect(cache.totalCount == 0)
        #expect(server.requests.first?.headers["authorization"] == "secret")
        delegate.isRefusing.store(true, ordering: .relaxed)
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.data(for: request(.reloadIgnoringCachedData))
        }
        #expect(server.requests.count == 1)
    }

    private final class Deciding: ImagePipeline.Delegate {
        struct Refused: Error {}

        let cache: DataCache
        let isRefusing = Atomic(false)

        init(cache: DataCache) {
            self.cache = cache
        }

        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest {
            if isRefusing.load(ordering: .relaxed) { throw Refused() }
            var urlRequest = urlRequest
            urlRequest.setValue("secret", forHTTPHeaderField: "Authorization")
            return urlRequest
        }

        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)? {
            cache
        }

        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
            "a key of its own"
        }
    }
}
