import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// A pipeline keeps responses by the rules of HTTP where it is told to.
@Suite(.timeLimit(.minutes(10)))
struct PipelineHTTPCacheTests {
    private let storage = DictionaryCache()

    /// Answers with what may be kept for a day, however long a stop takes, or for no time at `/stale`, where it confirms.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            let age = request.path == "/stale" ? 0 : 86_400
            let headers = [("Cache-Control", "max-age=\(age)"), ("ETag", "\"1\"")]
            return request.headers["if-none-match"] == nil
                ? .init(headers: headers, body: .data(Data(request.path.utf8)))
                : .init(status: 304, headers: headers)
        }
    }

    private func pipeline(_ loader: any DataLoading, delegate: (any ImagePipeline.Delegate)? = nil)
        -> ImagePipeline
    {
        ImagePipeline(delegate: delegate) {
            $0.dataLoader = loader
            $0.httpCache = HTTPCache(storage: storage)
        }
    }

    @Test(arguments: [true, false])
    func answersFromIt(isCurl: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline(isCurl ? CurlDataLoader() : DataLoader())
        for path in ["/fresh", "/fresh", "/stale", "/stale"] {
            #expect(try await pipeline.data(for: server.url(path)).0 == Data(path.utf8))
        }
        #expect(server.requests.map(\.path) == ["/fresh", "/stale", "/stale"])
        #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
        // The control: without it each load is a request.
        let without = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        for _ in 0..<2 { _ = try await without.data(for: server.url("/fresh")) }
        #expect(server.requests.count == 5)
    }

    @Test func standsBeforeTheLoadersOfADelegate() async throws {
        final class Chooser: ImagePipeline.Delegate {
            let loader = CurlDataLoader()

            func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }
        }
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline(DataLoader(), delegate: Chooser())
        for _ in 0..<2 { _ = try await pipeline.data(for: server.url("/fresh")) }
        #expect(server.requests.count == 1)
    }

    /// The rest of a newer response is asked for, but the network is gone.
    @Test(arguments: [true, false])
    func answersThoughADownloadBrokeOff(isOffline: Bool) async throws {
        let loader = ManualLoader()
        var configuration = HTTPCache.Configuration()
        configuration.staleIfError = 86_400
        let caching = HTTPCachingDataLoader(
            loader,
            cache: HTTPCache(storage: storage, configuration: configuration)
        )
        let pipeline = ImagePipeline {
            $0.dataLoader = caching
            $0.isRateLimiterEnabled = false
        }
        let request: ImageRequest = "http://example.com/a.jpg"
        let headers = ["Cache-Control": "max-age=0", "Accept-Ranges": "bytes"]
        let first = pipeline.dataTask(with: request)
        let whole = await loader.load(0)
        whole.send(Data("old".utf8), of: 3, headers: headers.merging(["ETag": "\"1\""]) { $1 })
        whole.end()
        #expect(try await first.value.0 == Data("old".utf8))
        let second = pipeline.dataTask(with: request)
        let broken = await loader.load(1)
        broken.send(Data("new".utf8), of: 6, headers: headers.merging(["ETag": "\"2\""]) { $1 })
        broken.end(URLError(.networkConnectionLost))
        #expect(await pipelineError { _ = try await second.value } != nil)
        caching.isOffline = isOffline
        let third = pipeline.dataTask(with: request)
        if !isOffline {
            let rest = await loader.load(2)
            #expect(rest.request.value(forHTTPHeaderField: "Range") == "bytes=3-")
            rest.end(URLError(.cannotConnectToHost))
        }
        #expect(try await third.value.0 == Data("old".utf8))
    }

    /// In a process of its own, whose folder of caches is not the user's.
    @Test func withURLCacheAndTheSharedPipelineHaveOne() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("XDG_CACHE_HOME", folder.path, 1)
            let first = try #require(ImagePipeline.Configuration.withURLCache.httpCache)
            let second = try #require(ImagePipeline.shared.configuration.httpCache)
            #expect(first === second)
            #expect(ImagePipeline.shared.configuration.dataLoader is DataLoader)
            #expect(ImagePipeline.Configuration().httpCache === first)
            #expect(ImagePipeline().configuration.httpCache === first)
            #expect(ImagePipeline.Configuration(dataLoader: DataLoader()).httpCache === first)
            let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(entries.contains("com.github.kean.Nuke.HTTPCache"))
        }
    }

    /// As in Nuke, where the cache is that of the loader's session.
    @Test func theDefaultOneGoesWithItsLoader() throws {
        let own = HTTPCache(storage: storage)
        let session = DataLoader.defaultConfiguration
        #expect(session.urlCache === DataLoader.sharedUrlCache)
        session.urlCache = nil
        let others: [any DataLoading] = [
            CurlDataLoader(), RetryingDataLoader(DataLoader()), DataLoader(configuration: session),
            DataLoader(configuration: .ephemeral),
        ]
        for loader in others {
            var configuration = ImagePipeline.Configuration()
            configuration.dataLoader = loader
            #expect(configuration.httpCache == nil)
            configuration.httpCache = own
            #expect(configuration.httpCache === own)
            configuration.dataLoader = DataLoader()
            #expect(configuration.httpCache === own, "one that is set stays")
            configuration.httpCache = nil
            #expect(configuration.httpCache == nil, "setting nil counts as set")
        }
        #expect(ImagePipeline.Configuration.forServer().httpCache == nil)
        #expect(ImagePipeline.Configuration.withDataCache(name: "com.example.none").httpCache == nil)
        // The session itself never asks it.
        #expect(DataLoader().session.configuration.urlCache == nil)
    }

    @Test func theDefaultPipelineKeepsResponses() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("XDG_CACHE_HOME", folder.path, 1)
            let server = try LoopbackServer { request in
                .init(headers: [("Cache-Control", "max-age=86400")], body: .data(Data(request.path.utf8)))
            }
            let session = DataLoader.defaultConfiguration
            session.urlCache = nil
            for (number, pipeline) in [
                ImagePipeline(), ImagePipeline { $0.imageCache = nil },
                ImagePipeline(configuration: .init(dataLoader: DataLoader())),
                ImagePipeline { $0.dataLoader = DataLoader(configuration: session) },
            ].enumerated() {
                let before = server.requests.count
                for _ in 0..<2 { _ = try await pipeline.data(for: server.url("/\(number)")) }
                #expect(server.requests.count - before == (number == 3 ? 2 : 1), "\(number)")
            }
        }
    }

    @Test func theSharedURLCacheIsTheSame() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("XDG_CACHE_HOME", folder.path, 1)
            let server = try LoopbackServer { request in
                .init(headers: [("Cache-Control", "max-age=86400")], body: .data(Data(request.path.utf8)))
            }
            let urlCache = DataLoader.sharedUrlCache
            #expect(urlCache.diskCapacity == 157_286_400 && urlCache.memoryCapacity == 0)
            let pipeline = ImagePipeline(configuration: .withURLCache)
            let request = URLRequest(url: server.url("/a"))
            for _ in 0..<2 { _ = try await pipeline.data(for: server.url("/a")) }
            #expect(server.requests.count == 1)
            #expect(urlCache.cachedResponse(for: request)?.data == Data("/a".utf8))
            #expect(urlCache.cachedResponse(for: URLRequest(url: server.url("/a?b"))) == nil)
            // Clearing it clears what the pipeline uses.
            urlCache.removeCachedResponse(for: request)
            _ = try await pipeline.data(for: server.url("/a"))
            #expect(server.requests.count == 2)
            urlCache.removeAllCachedResponses()
            _ = try await pipeline.data(for: server.url("/a"))
            #expect(server.requests.count == 3)
            (pipeline.configuration.httpCache?.storage as? DataCache)?.flush()
            #expect(urlCache.currentDiskUsage > 0 && urlCache.currentMemoryUsage == 0)
            urlCache.removeCachedResponses(since: .now + 3600)
            #expect(urlCache.cachedResponse(for: request) != nil)
            urlCache.removeCachedResponses(since: .now - 3600)
            #expect(urlCache.cachedResponse(for: request) == nil)
            // Storing in it, too.
            let made = try #require(
                HTTPURLResponse(
                    url: server.url("/b"),
                    statusCode: 200,
                    httpVersion: "HTTP/1.1",
                    headerFields: ["Cache-Control": "max-age=86400"]
                )
            )
            let stored = CachedURLResponse(response: made, data: Data("made".utf8))
            urlCache.storeCachedResponse(stored, for: URLRequest(url: server.url("/b")))
            #expect(try await pipeline.data(for: server.url("/b")).0 == Data("made".utf8))
            #expect(server.requests.count == 3)
            urlCache.diskCapacity = 1000
            urlCache.memoryCapacity = 1000
            #expect((pipeline.configuration.httpCache?.storage as? DataCache)?.sizeLimit == 1000)
            #expect(urlCache.diskCapacity == 1000 && urlCache.memoryCapacity == 0)
        }
    }
}
