import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Testing

/// Requests that only a cache may answer.
@Suite(.timeLimit(.minutes(10)))
struct CacheOnlyRequestTests {
    enum Loader: String, CaseIterable {
        case session, curl, retryingCurl

        func make() -> any DataLoading {
            switch self {
            case .session: DataLoader()
            case .curl: CurlDataLoader()
            case .retryingCurl: RetryingDataLoader(CurlDataLoader())
            }
        }
    }

    private let storage = DictionaryCache()

    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            .init(
                headers: [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")],
                body: .data(Data(request.path.utf8))
            )
        }
    }

    private func pipeline(_ loader: Loader, hasHTTPCache: Bool) -> ImagePipeline {
        ImagePipeline {
            $0.dataLoader = loader.make()
            $0.imageCache = nil
            $0.makeImageDecoder = { _ in AnyDecoder(counter: Counter()) }
            if hasHTTPCache { $0.httpCache = HTTPCache(storage: storage) }
        }
    }

    private func request(_ url: URL, byPolicy: Bool) -> ImageRequest {
        guard byPolicy else { return ImageRequest(url: url, options: .returnCacheDataDontLoad) }
        return ImageRequest(urlRequest: URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad))
    }

    private func isMissing(_ error: ImagePipeline.Error?, byPolicy: Bool) -> Bool {
        switch error {
        case .dataMissingInCache: !byPolicy
        case .dataLoadingFailed(let error): byPolicy && error as? HTTPCacheError != nil
        default: false
        }
    }

    @Test("without an HTTP cache nothing is sent", arguments: Loader.allCases, [true, false])
    func sendsNothing(loader: Loader, byPolicy: Bool) async throws {
        let server = try server()
        let pipeline = pipeline(loader, hasHTTPCache: false)
        let request = request(server.url("/a"), byPolicy: byPolicy)
        let data = await pipelineError { _ = try await pipeline.data(for: request) }
        #expect(isMissing(data, byPolicy: byPolicy), "\(String(describing: data))")
        let image = await pipelineError { _ = try await pipeline.image(for: request) }
        #expect(isMissing(image, byPolicy: byPolicy), "\(String(describing: image))")
        #expect(server.requests.isEmpty)
    }

    @Test("an HTTP cache answers, even with what is stale", arguments: Loader.allCases, [true, false])
    func asksTheHTTPCache(loader: Loader, byPolicy: Bool) async throws {
        let server = try server()
        let pipeline = pipeline(loader, hasHTTPCache: true)
        let request = request(server.url("/a"), byPolicy: byPolicy)
        let missing = await pipelineError { _ = try await pipeline.data(for: request) }
        #expect(isMissing(missing, byPolicy: byPolicy), "\(String(describing: missing))")
        _ = try await pipeline.data(for: server.url("/a"))
        #expect(try await pipeline.data(for: request).0 == Data("/a".utf8))
        var processed = request
        processed.processors = [Mark("a")]
        #expect(try await pipeline.imageTask(with: processed).response.container.marks == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test("a request for a part of it, or by POST, is not sent either", arguments: Loader.allCases)
    func refusesWhatIsNeverCached(loader: Loader) async throws {
        let server = try server()
        let pipeline = pipeline(loader, hasHTTPCache: true)
        var post = URLRequest(url: server.url("/a"), cachePolicy: .returnCacheDataDontLoad)
        post.httpMethod = "POST"
        var part = URLRequest(url: server.url("/a"), cachePolicy: .returnCacheDataDontLoad)
        part.setValue("bytes=1-", forHTTPHeaderField: "Range")
        for request in [post, part] {
            let error = await pipelineError {
                _ = try await pipeline.data(for: ImageRequest(urlRequest: request))
            }
            #expect(isMissing(error, byPolicy: true))
        }
        #expect(server.requests.isEmpty)
    }

    @Test("it joins no download of a request that may load")
    func joinsNoDownload() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .data(Data([1]))
        }
        defer { gate.open() }
        let pipeline = pipeline(.curl, hasHTTPCache: true)
        let loading = pipeline.dataTask(with: ImageRequest(url: server.url("/a")))
        _ = await server.requests(atLeast: 1)
        let request = request(server.url("/a"), byPolicy: false)
        let error = await pipelineError { _ = try await pipeline.data(for: request) }
        #expect(isMissing(error, byPolicy: false))
        gate.open()
        #expect(try await loading.value.0 == Data([1]))
    }

    @Test("a session's own URLCache is asked")
    func asksTheSessionsCache() async throws {
        final class Kept: URLCache, @unchecked Sendable {
            override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
                guard let url = request.url, url.path == "/kept" else { return nil }
                return CachedURLResponse(
                    response: QueuedLoader.response(url, length: 4),
                    data: Data("kept".utf8)
                )
            }
        }
        let server = try server()
        let configuration = DataLoader.defaultConfiguration
        configuration.urlCache = Kept(memoryCapacity: 0, diskCapacity: 0, diskPath: NSTemporaryDirectory())
        let loader = DataLoader(configuration: configuration)
        func load(_ path: String) async -> LoadOutcome {
            await loader.load(URLRequest(url: server.url(path), cachePolicy: .returnCacheDataDontLoad))
        }
        #expect(await load("/kept").text == "kept")
        #expect(await load("/other").error as? HTTPCacheError == .notCached(server.url("/other")))
        #expect(server.requests.isEmpty)
    }
}
