import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CachingDataLoaderTests {
    /// A third party's cache: knows nothing but keys and objects, which hold the data and the response.
    final class ObjectCache: Sendable {
        struct Object: Sendable {
            let data: Data
            let response: URLResponse
        }

        private let objects = Mutex<[String: Object]>([:])

        var count: Int { objects.withLock { $0.count } }

        subscript(key: String) -> Object? {
            get { objects.withLock { $0[key] } }
            set { objects.withLock { $0[key] = newValue } }
        }
    }

    /// The few lines that bring it to the loader.
    struct Adapter: ResponseCaching {
        let cache = ObjectCache()

        func cachedResponse(for request: URLRequest) -> (data: Data, response: URLResponse)? {
            request.url.flatMap { cache[$0.absoluteString] }.map { ($0.data, $0.response) }
        }

        func storeResponse(_ response: URLResponse, data: Data, for request: URLRequest) {
            guard let key = request.url?.absoluteString else { return }
            cache[key] = ObjectCache.Object(data: data, response: response)
        }
    }

    private let adapter = Adapter()

    private func make(_ loader: any DataLoading = CurlDataLoader(), limit: Int = 1000) -> CachingDataLoader {
        CachingDataLoader(loader, cache: adapter, entrySizeLimit: limit)
    }

    @Test func deliversWhatTheCacheHas() async throws {
        let server = try LoopbackServer { _ in .init(body: .pieces([Data("bo".utf8), Data("dy".utf8)])) }
        let loader = make()
        let first = await loader.load(server.url("/a?x=1"))
        #expect(first.text == "body")
        #expect(adapter.cache[server.url("/a?x=1").absoluteString]?.data == Data("body".utf8))
        let second = await loader.load(server.url("/a?x=1"))
        #expect(second.chunks == [Data("body".utf8)])
        #expect(second.error == nil)
        #expect(second.completions == 1)
        #expect(second.httpResponse?.statusCode == 200)
        #expect(second.response?.url == server.url("/a?x=1"))
        #expect(server.requests.count == 1)
        _ = await loader.load(server.url("/a?x=2"))
        #expect(server.requests.count == 2)
    }

    @Test func storesOnlyWhatIsWholeAndNotEmpty() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/cut": .init(body: .truncated(Data(count: 10), declaredLength: 20))
            case "/reset": .init(body: .resetAfter(Data(count: 10), declaredLength: 20))
            case "/empty": .data(Data())
            case "/missing": .status(404)
            case "/large": .data(Data(count: 1001))
            default: .data(Data(count: 1000))
            }
        }
        let loader = make()
        for path in ["/cut", "/reset", "/missing"] {
            #expect(await loader.load(server.url(path)).error != nil, "\(path)")
        }
        for path in ["/empty", "/large"] {
            #expect(await loader.load(server.url(path)).error == nil, "\(path)")
        }
        // A loader that takes a cut body for a whole one.
        let careless = make(FaultInjectingDataLoader(CurlDataLoader(), faults: [[.truncate(bytes: 10)]]))
        #expect(await careless.load(server.url("/whole")).body.count == 10)
        #expect(adapter.cache.count == 0)
        #expect(await loader.load(server.url("/whole")).error == nil)
        #expect(adapter.cache.count == 1)
    }

    @Test(arguments: [true, false])
    func countsTheChunksOfABodyTogether(isOfKnownLength: Bool) async throws {
        // Chunks are delivered with at most 64 KiB each, so none is beyond either limit.
        let pieces = Array(repeating: Data(count: 50_000), count: 10)
        let server = try LoopbackServer { _ in
            .init(body: isOfKnownLength ? .pieces(pieces) : .chunked(pieces))
        }
        for (limit, stored) in [(499_999, 0), (500_000, 1)] {
            let outcome = await make(limit: limit).load(server.url())
            #expect(outcome.error == nil && outcome.body.count == 500_000)
            #expect(outcome.chunks.count > 1 && outcome.chunks.allSatisfy { $0.count < limit })
            #expect(adapter.cache.count == stored)
        }
    }

    @Test func storesNothingOfACancelledLoad() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 100)) }
        let stalling = FaultInjectingDataLoader(CurlDataLoader()) { _, _ in [.stall(bytes: 50)] }
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url()), on: make(stalling))
        await recorder.wait(forBytes: 50)
        load.cancel()
        #expect(recorder.outcome.completions == 0)
        #expect(adapter.cache.count == 0)
    }

    @Test func answersForTheRestOfADownloadIfItHasTheWhole() async throws {
        let server = try LoopbackServer { _ in .data(Data("body".utf8)) }
        let loader = make()
        var rest = URLRequest(url: server.url())
        rest.setValue("bytes=2-", forHTTPHeaderField: "Range")
        let part = rest
        rest.setValue("\"1\"", forHTTPHeaderField: "If-Range")
        _ = await loader.load(rest)
        #expect(server.requests.last?.headers["range"] == "bytes=2-" && adapter.cache.count == 0)
        _ = await loader.load(server.url())
        #expect(await loader.load(rest).text == "body")
        #expect(server.requests.count == 2)
        _ = await loader.load(part)
        #expect(server.requests.count == 3)
    }

    @Test func heedsThePolicyOfTheRequest() async throws {
        let number = Mutex(0)
        let server = try LoopbackServer { _ in
            .data(Data("\(number.withLock { number in number += 1; return number })".utf8))
        }
        let loader = make()
        var request = URLRequest(url: server.url(), cachePolicy: .returnCacheDataDontLoad)
        let missing = await loader.load(request)
        #expect(missing.error as? HTTPCacheError == .notCached(server.url()))
        #expect(server.requests.isEmpty)
        #expect(await loader.load(server.url()).text == "1")
        #expect(await loader.load(request).text == "1")
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(await loader.load(request).text == "2")
        #expect(await loader.load(server.url()).text == "2")
        request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        #expect(await loader.load(request).text == "3")
        #expect(await loader.load(server.url()).text == "2")
    }
}
