import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HTTPCachingDataLoaderTests {
    enum Network: String, CaseIterable {
        case curl, urlSession

        func make() -> any DataLoading {
            switch self {
            case .curl: CurlDataLoader()
            case .urlSession: DataLoader()
            }
        }
    }

    /// A server of one resource that is confirmed by its tag.
    private func server(_ control: String, tag: String = "\"a\"") throws -> LoopbackServer {
        try LoopbackServer { request in
            let headers = [("Cache-Control", control), ("ETag", tag), ("Content-Type", "image/png")]
            guard request.headers["if-none-match"] == nil else { return .init(status: 304, headers: headers) }
            return .init(headers: headers, body: .data(Data("body".utf8)))
        }
    }

    @Test(arguments: Network.allCases)
    func answersWhatIsFresh(network: Network) async throws {
        let server = try server("max-age=60")
        let fixture = HTTPCacheFixture(network.make())
        let first = await fixture.load(server.url("/a?x=1"))
        let second = await fixture.load(server.url("/a?x=1"))
        #expect(server.requests.count == 1)
        #expect(first.field("Age") == nil)
        #expect(second.field("Age") == "0")
        #expect(second.chunks == [Data("body".utf8)])
        #expect(second.httpResponse?.statusCode == 200)
        #expect(second.response?.url == server.url("/a?x=1"))
        #expect(second.response?.mimeType == "image/png")
        #expect(second.response?.expectedContentLength == 4)
    }

    @Test(arguments: Network.allCases)
    func refreshesTheFieldsByA304(network: Network) async throws {
        let server = try LoopbackServer { request in
            request.isConditional
                ? .init(status: 304, headers: [("Cache-Control", "max-age=600"), ("X-New", "yes")])
                : .init(
                    headers: [("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("X-Old", "yes")],
                    body: .data(Data("body".utf8))
                )
        }
        let fixture = HTTPCacheFixture(network.make())
        _ = await fixture.load(server.url())
        fixture.time.pass(61)
        let confirmed = await fixture.load(server.url())
        #expect(confirmed.error == nil)
        #expect(confirmed.text == "body")
        #expect(confirmed.httpResponse?.statusCode == 200)
        #expect(confirmed.field("X-New") == "yes")
        #expect(confirmed.field("X-Old") == "yes")
        #expect(confirmed.field("Content-Length") == "4")
        fixture.time.pass(599)
        let cached = await fixture.load(server.url())
        #expect(server.requests.count == 2)
        #expect(cached.field("Age") == "599")
        #expect(cached.field("Cache-Control") == "max-age=600")
    }

    @Test func asksWithBothValidators() async throws {
        let date = "Wed, 31 Dec 2025 00:00:00 GMT"
        let server = try LoopbackServer { _ in
            .init(
                headers: [("Cache-Control", "no-cache"), ("ETag", "W/\"a\""), ("Last-Modified", date)],
                body: .data(Data("body".utf8))
            )
        }
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url())
        _ = await fixture.load(server.url())
        #expect(server.requests.last?.headers["if-none-match"] == "W/\"a\"")
        #expect(server.requests.last?.headers["if-modified-since"] == date)
    }

    @Test func takesNo304OfAnotherResponse() async throws {
        let server = try LoopbackServer { request in
            request.isConditional
                ? .init(status: 304, headers: [("ETag", "\"b\"")])
                : .init(headers: [("ETag", "\"a\"")], body: .data(Data("body".utf8)))
        }
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url())
        let second = await fixture.load(server.url())
        #expect(second.text == "body")
        #expect(server.requests.map(\.isConditional) == [false, true, false])
    }

    @Test func asksForNo304ThroughALoaderThatHidesIt() async throws {
        let server = try server("no-cache")
        let fixture = HTTPCacheFixture(HidingLoader())
        _ = await fixture.load(server.url())
        let second = await fixture.load(server.url())
        #expect(second.text == "body")
        #expect(server.requests.map(\.isConditional) == [false, false])
    }

    @Test func countsTheTimeThatTheAnswerTook() async throws {
        let fixture = HTTPCacheFixture()
        let server = try LoopbackServer { [fixture] _ in
            fixture.time.pass(20)
            return .init(
                headers: [("Cache-Control", "max-age=60"), ("Age", "10"), ("ETag", "\"a\"")],
                body: .data(Data("body".utf8))
            )
        }
        _ = await fixture.load(server.url())
        fixture.time.pass(29)
        #expect(await fixture.load(server.url()).field("Age") == "59")
        fixture.time.pass(1)
        _ = await fixture.load(server.url())
        #expect(server.requests.count == 2)
    }

    @Test func refreshesBehindWhatIsDelivered() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.isConditional { gate.wait() }
            let control = ("Cache-Control", "max-age=60, stale-while-revalidate=100")
            return request.isConditional
                ? .init(headers: [control, ("ETag", "\"b\"")], body: .data(Data("new".utf8)))
                : .init(headers: [control, ("ETag", "\"a\"")], body: .data(Data("old".utf8)))
        }
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url())
        fixture.time.pass(61)
        // However many come meanwhile, one refresh is enough.
        for _ in 0..<5 { #expect(await fixture.load(server.url()).text == "old") }
        _ = await server.requests(atLeast: 2)
        gate.open()
        var text = "old"
        while text == "old" { text = await fixture.load(server.url()).text }
        #expect(text == "new")
        #expect(server.requests.count == 2)
    }

    @Test func servesWhatItHasWhenOffline() async throws {
        let server = try server("max-age=60, must-revalidate")
        let fixture = HTTPCacheFixture()
        _ = await fixture.load(server.url("/a"))
        fixture.time.pass(1e6)
        fixture.loader.isOffline = true
        #expect(await fixture.load(server.url("/a")).text == "body")
        let missing = await fixture.load(server.url("/b?secret"))
        #expect(missing.error as? HTTPCacheError == .offline(server.url("/b?secret")))
        #expect(missing.completions == 1)
        #expect("\(try #require(missing.error))".contains("secret") == false)
        var post = URLRequest(url: server.url("/a"))
        post.httpMethod = "POST"
        #expect(await fixture.loader.load(post).error as? HTTPCacheError == .offline(server.url("/a")))
        #expect(server.requests.count == 1)
        fixture.loader.isOffline = false
        #expect(await fixture.load(server.url("/b")).text == "body")
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func forgetsWhatAChangeMadeWrong(method: String) async throws {
        let server = try LoopbackServer { request in
            let headers = [
                ("Cache-Control", "max-age=60"), ("Location", "/named"),
                ("Content-Location", "http://other.example/c"),
            ]
            if request.headers["x-fail"] != nil { return .status(500) }
            return .init(headers: headers, body: .data(Data(request.method.utf8)))
        }
        let fixture = HTTPCacheFixture()
        let urls = ["/a", "/named", "/other"].map { server.url($0) }
        for url in urls { _ = await fixture.load(url) }
        var change = URLRequest(url: urls[0])
        change.httpMethod = method
        change.setValue("yes", forHTTPHeaderField: "X-Fail")
        #expect(await fixture.loader.load(change).error != nil)
        for url in urls { #expect(fixture.cache.cachedResponse(for: URLRequest(url: url)) != nil) }
        change.setValue(nil, forHTTPHeaderField: "X-Fail")
        #expect(await fixture.loader.load(change).text == method)
        let isKept = urls.map { fixture.cache.cachedResponse(for: URLRequest(url: $0)) != nil }
        #expect(isKept == [false, false, true])
    }

    @Test func aChangeForgetsNothingOfAnotherOrigin() async throws {
        let other = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=60")], body: .data(Data("kept".utf8)))
        }
        let kept = other.url("/kept")
        let server = try LoopbackServer { request in
            .init(
                headers: [("Location", kept.absoluteString), ("Content-Location", kept.absoluteString)],
                body: .data(Data("changed".utf8))
            )
        }
        let fixture = HTTPCacheFixture()
        #expect(await fixture.load(kept).text == "kept")
        var change = URLRequest(url: server.url())
        change.httpMethod = "POST"
        #expect(await fixture.loader.load(change).text == "changed")
        #expect(fixture.cache.cachedResponse(for: URLRequest(url: kept)) != nil)
    }

    @Test func confirmsWhatARedirectLedTo() async throws {
        let target = Mutex("/b")
        let server = try LoopbackServer { request in
            guard request.path != "/a" else { return .redirect(to: target.withLock { $0 }) }
            let headers = [("Cache-Control", "max-age=60"), ("ETag", "\"same\"")]
            guard !request.isConditional else { return .init(status: 304, headers: headers) }
            return .init(headers: headers, body: .data(Data(request.path.utf8)))
        }
        let fixture = HTTPCacheFixture()
        for _ in 0..<2 {
            let outcome = await fixture.load(server.url("/a"))
            #expect(outcome.text == "/b")
            #expect(outcome.response?.url == server.url("/b"))
        }
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
        #expect(server.requests.last?.isConditional == true)
        // Equal tags of different resources mean nothing.
        target.withLock { $0 = "/c" }
        #expect(await fixture.load(server.url("/a")).text == "/c")
    }

    @Test func deliversWhatIsTooLargeToStore() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let server = try LoopbackServer { _ in
            .init(headers: [("Cache-Control", "max-age=60")], body: .data(body))
        }
        let fixture = HTTPCacheFixture { $0.entrySizeLimit = 299_999 }
        for _ in 0..<2 { #expect(await fixture.load(server.url()).body == body) }
        #expect(server.requests.count == 2)
        #expect(fixture.storage.keys.isEmpty)
        let roomy = HTTPCacheFixture { $0.entrySizeLimit = 300_000 }
        for _ in 0..<2 { #expect(await roomy.load(server.url()).body == body) }
        #expect(server.requests.count == 3)
    }

    @Test func storesNoCutAndNoEmptyBody() async throws {
        let control = [("Cache-Control", "max-age=60")]
        let server = try LoopbackServer { request in
            switch request.path {
            case "/cut": .init(headers: control, body: .truncated(Data(count: 10), declaredLength: 20))
            case "/empty": .init(headers: control)
            default: .init(headers: control, body: .data(Data(count: 20)))
            }
        }
        // The second takes the cut body for a whole one, as a careless loader does.
        for faults in [[], [.truncate(bytes: 10)]] as [[FaultInjectingDataLoader.Fault]] {
            let fixture = HTTPCacheFixture(
                FaultInjectingDataLoader(CurlDataLoader()) { request, _ in
                    request.url?.path == "/whole" ? faults : []
                }
            )
            #expect(await fixture.load(server.url("/cut")).error != nil)
            #expect(await fixture.load(server.url("/empty")).completions == 1)
            #expect(await fixture.load(server.url("/whole")).error == nil)
            #expect(fixture.storage.keys.count == (faults.isEmpty ? 1 : 0))
        }
    }

    @Test func storesNothingOfACancelledLoad() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(
                headers: [("Cache-Control", "max-age=60")],
                body: .pieces([Data(count: 9), Data(count: 9)])
            ) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let fixture = HTTPCacheFixture()
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url()), on: fixture.loader)
        await recorder.wait(forBytes: 9)
        load.cancel()
        #expect(recorder.outcome.completions == 0)
        #expect(fixture.storage.keys.isEmpty)
    }

    @Test func outlivesTheProcess() async throws {
        let folder = try TemporaryFolder()
        let server = try server("max-age=60")
        let path = URL(fileURLWithPath: folder.path("cache"))
        for _ in 0..<2 {
            let storage = try DataCache(unsweptAt: path)
            let loader = HTTPCachingDataLoader(CurlDataLoader(), cache: HTTPCache(storage: storage))
            #expect(await loader.load(server.url()).text == "body")
            storage.flush()
            #expect(storage.metadata(for: "GET \(server.url())")?.etag == "\"a\"")
            storage.close()
        }
        #expect(server.requests.count == 1)
    }

    @Test func passesOtherMethodsOn() async throws {
        let server = try server("max-age=60")
        let fixture = HTTPCacheFixture()
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        for _ in 0..<2 { #expect(await fixture.loader.load(request).error == nil) }
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
        #expect(fixture.storage.keys.isEmpty)
    }
}
