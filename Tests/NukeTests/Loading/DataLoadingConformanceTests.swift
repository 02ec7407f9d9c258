import Foundation
import LoopbackServer
import Nuke
import Testing

/// What every loader must do, whoever wrote it: the contract of `DataLoading`.
@Suite(.timeLimit(.minutes(1)))
struct DataLoadingConformanceTests {
    enum Loader: String, CaseIterable, CustomTestStringConvertible {
        case urlSession, curl
        case httpCachingCurl, httpCachingSession, caching, retrying, faultInjecting

        var testDescription: String { rawValue }

        func make() -> any DataLoading {
            switch self {
            case .urlSession: DataLoader()
            case .curl: CurlDataLoader()
            case .httpCachingCurl: HTTPCacheFixture().loader
            case .httpCachingSession: HTTPCacheFixture(DataLoader()).loader
            case .caching: CachingDataLoader(CurlDataLoader(), cache: CachingDataLoaderTests.Adapter())
            case .retrying: RetryingDataLoader(CurlDataLoader(), clock: TestClock())
            case .faultInjecting: FaultInjectingDataLoader(CurlDataLoader()) { _, _ in [.delay(.zero)] }
            }
        }
    }

    @Test(arguments: Loader.allCases)
    func deliversTheBodyInOrder(loader: Loader) async throws {
        let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
        let server = try LoopbackServer { _ in .data(body, type: "image/png") }
        let outcome = await loader.make().load(server.url("/a.png?x=1"))
        #expect(outcome.error == nil)
        #expect(outcome.body == body)
        #expect(outcome.completions == 1)
        #expect(!outcome.isLate)
        #expect(outcome.httpResponse?.statusCode == 200)
        #expect(outcome.response?.expectedContentLength == 500_000)
        #expect(outcome.response?.mimeType == "image/png")
        #expect(outcome.response?.url == server.url("/a.png?x=1"))
    }

    @Test(arguments: Loader.allCases)
    func sendsTheRequestsFields(loader: Loader) async throws {
        let server = try LoopbackServer { request in .data(request.body + Data(" ok".utf8)) }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data("posted".utf8)
        request.setValue("bytes=10-", forHTTPHeaderField: "Range")
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        #expect(await loader.make().load(request).body == Data("posted ok".utf8))
        #expect(server.requests.first?.method == "POST")
        #expect(server.requests.first?.headers["range"] == "bytes=10-")
        #expect(server.requests.first?.headers["authorization"] == "secret")
    }

    @Test(arguments: Loader.allCases)
    func deliversChunksAsTheyCome(loader: Loader) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data(count: 70_000), Data(count: 5)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let recorder = LoadRecorder()
        let loader = loader.make()
        _ = recorder.start(URLRequest(url: server.url()), on: loader)
        await recorder.wait(forBytes: 70_000)
        #expect(recorder.outcome.completions == 0)
        gate.open()
        #expect(await recorder.end().body.count == 70_005)
    }

    @Test(arguments: Loader.allCases)
    func completesAnEmptyBodyWithoutError(loader: Loader) async throws {
        let server = try LoopbackServer { _ in .data(Data()) }
        let outcome = await loader.make().load(server.url())
        #expect(outcome.error == nil)
        #expect(outcome.chunks.isEmpty)
        #expect(outcome.completions == 1)
    }

    @Test(arguments: Loader.allCases, [400, 401, 403, 404, 410, 500, 503])
    func deliversNothingOfARejectedAnswer(loader: Loader, status: Int) async throws {
        let server = try LoopbackServer { _ in .init(status: status, body: .data(Data(count: 10_000))) }
        let outcome = await loader.make().load(server.url())
        #expect(outcome.error != nil)
        #expect(outcome.chunks.isEmpty)
        #expect(outcome.completions == 1)
    }

    @Test(arguments: Loader.allCases)
    func stopsTheTransferOfARejectedAnswer(loader: Loader) async throws {
        let server = try LoopbackServer { _ in .init(status: 404, body: .endless(Data(count: 65_536))) }
        let loader = loader.make()
        let outcome = await loader.load(server.url())
        #expect(outcome.error != nil)
        _ = await server.abandoned(atLeast: 1)
        #expect(outcome.chunks.isEmpty)
    }

    @Test(arguments: Loader.allCases)
    func cancelsARunningLoad(loader: Loader) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data(count: 70_000), Data(count: 5)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let recorder = LoadRecorder()
        let loader = loader.make()
        let load = recorder.start(URLRequest(url: server.url()), on: loader)
        await recorder.wait(forBytes: 70_000)
        load.cancel()
        load.cancel()
        let outcome = await recorder.end()
        #expect(outcome.error != nil)
        #expect(outcome.completions == 1)
        #expect(outcome.body.count == 70_000)
    }

    @Test(arguments: Loader.allCases)
    func cancelsALoadAtOnce(loader: Loader) async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 100)) }
        let loader = loader.make()
        for _ in 0..<50 {
            let recorder = LoadRecorder()
            recorder.start(URLRequest(url: server.url()), on: loader).cancel()
            let outcome = await recorder.end()
            #expect(outcome.completions == 1)
            #expect(!outcome.isLate)
        }
    }

    @Test(arguments: Loader.allCases)
    func takesNoCutBodyForAWholeOne(loader: Loader) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/short": .init(body: .truncated(Data(count: 10), declaredLength: 20))
            case "/none": .init(body: .truncated(Data(), declaredLength: 20))
            default: .init(body: .resetAfter(Data(count: 10), declaredLength: 20))
            }
        }
        let loader = loader.make()
        for path in ["/short", "/none", "/reset"] {
            let outcome = await loader.load(server.url(path))
            #expect(outcome.error != nil, "\(path)")
            #expect(outcome.completions == 1)
        }
    }

    @Test(arguments: Loader.allCases)
    func followsRedirects(loader: Loader) async throws {
        let server = try LoopbackServer { request in
            request.path == "/end" ? .data(Data("end".utf8)) : .redirect(to: "/end")
        }
        let outcome = await loader.make().load(server.url("/start"))
        #expect(outcome.body == Data("end".utf8))
        #expect(outcome.response?.url == server.url("/end"))
    }

    @Test(arguments: Loader.allCases)
    func loadsManyAtOnce(loader: Loader) async throws {
        let server = try LoopbackServer { request in .data(Data(request.path.utf8)) }
        let loader = loader.make()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let outcome = await loader.load(server.url("/\(number)"))
                    #expect(outcome.body == Data("/\(number)".utf8))
                    #expect(outcome.completions == 1)
                }
            }
        }
    }

    @Test(arguments: Loader.allCases)
    func failsWithoutAServer(loader: Loader) async throws {
        // A port that was free a moment ago may be another test's now; nobody listens at the first.
        let outcome = await loader.make().load(try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(outcome.error != nil)
        #expect(outcome.completions == 1)
    }
}
