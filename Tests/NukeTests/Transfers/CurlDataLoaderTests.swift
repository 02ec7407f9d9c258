import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CurlDataLoaderTests {
    @Test func givesHeaderFieldsTheirCanonicalNames() async throws {
        let server = try LoopbackServer { _ in
            .init(
                headers: [("etag", "\"v\""), ("X-TWICE", "1"), ("x-twice", "2")],
                body: .data(Data("x".utf8))
            )
        }
        let fields =
            await CurlDataLoader().load(server.url()).httpResponse?.allHeaderFields as? [String: String]
        #expect(fields?["Etag"] == "\"v\"")
        #expect(fields?["X-Twice"] == "1, 2")
    }

    @Test(arguments: [
        (
            LoopbackServer.Response.Body.truncated(Data(count: 10), declaredLength: 20),
            DataLoadingError.Reason.truncated
        ),
        (.truncatedChunks([Data(count: 10)]), .truncated), (.nothing, .empty), (.reset, .reset),
        (.raw(Data("nonsense\r\n\r\n".utf8)), .protocol),
    ])
    func namesItsFailures(body: LoopbackServer.Response.Body, reason: DataLoadingError.Reason) async throws {
        let server = try LoopbackServer { _ in .init(body: body) }
        let outcome = await CurlDataLoader().load(server.url("/a%0Ab?token=secret"))
        let error = try #require(outcome.loadingError)
        #expect(error.reason == reason)
        #expect(error.url == server.url("/a%0Ab?token=secret"))
        #expect(error.description.hasPrefix(server.address + "/a%0Ab: "))
        #expect(!error.description.contains("secret"))
    }

    @Test func saysWhatTheServerAnswered() async throws {
        let server = try LoopbackServer { _ in .status(404, headers: [("ETag", "\"gone\"")]) }
        let error = try #require(await CurlDataLoader().load(server.url("/x")).loadingError)
        #expect(error.reason == .status)
        #expect(error.statusCode == 404)
        #expect(!error.isTransient)
        #expect(error.response?.value(forHTTPHeaderField: "ETag") == "\"gone\"")
        #expect(error.description == "\(server.address)/x: the server answered with status 404")
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:,x", "gopher://127.0.0.1/", "mailto:a@b", "ftp://127.0.0.1/x",
    ])
    func refusesSchemes(url: String) async throws {
        let error = await CurlDataLoader().load(try #require(URL(string: url))).loadingError
        #expect(error?.reason == .scheme)
    }

    @Test func refusesAddressesThatArePrivate() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var configuration = CurlDataLoader.Configuration()
        configuration.addressPolicy = .publicOnly
        let error = await CurlDataLoader(configuration: configuration).load(server.url()).loadingError
        #expect(error?.reason == .address)
        #expect(
            error?.message == """
                127.0.0.1 is not a public address; add "127.0.0.1" to the AddressPolicy(allow:) of \
                configuration.addressPolicy to reach it
                """
        )
        configuration.addressPolicy = try AddressPolicy(allow: ["127.0.0.0/8"])
        #expect(await CurlDataLoader(configuration: configuration).load(server.url()).error == nil)
        #expect(server.requests.count == 1)
    }

    @Test func limitsBytesAndTime() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in
            request.path == "/big" ? .init(body: .endless(Data(count: 64))) : .init { _ in gate.wait() }
        }
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.maxBytes = 1_000
        let big = await CurlDataLoader(configuration: configuration).load(server.url("/big"))
        #expect(big.loadingError?.reason == .tooLarge)
        #expect(big.body.count <= 1_000)
        configuration.limits.timeout = .milliseconds(80)
        let slow = await CurlDataLoader(configuration: configuration).load(server.url("/slow"))
        #expect(slow.loadingError?.reason == .timeout)
        var request = URLRequest(url: server.url("/slow"))
        request.timeoutInterval = 0.08
        #expect(await CurlDataLoader().load(request).loadingError?.reason == .timeout)
    }

    @Test func addsHeaderFieldsOfTheConfiguration() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var configuration = CurlDataLoader.Configuration()
        configuration.userAgent = "test/1"
        configuration.limits.headers = ["X-A": "all", "X-B": "all"]
        var host = CurlDataLoader.Limits()
        host.headers = ["X-C": "host"]
        configuration.hosts = ["other.example": host]
        var request = URLRequest(url: server.url())
        request.setValue("own", forHTTPHeaderField: "X-B")
        _ = await CurlDataLoader(configuration: configuration).load(request)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["x-a"] == "all" && headers["x-b"] == "own" && headers["x-c"] == nil)
        #expect(headers["user-agent"] == "test/1")
        #expect(headers["accept-encoding"] == "identity")
    }

    @Test func waitsInTheLineOfPlaces() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let slots = OperationQueue()
        slots.maxConcurrentOperationCount = 1
        slots.isSuspended = true
        let loader = CurlDataLoader()
        let order = Order()
        let recorders = [LoadRecorder(), LoadRecorder(), LoadRecorder()]
        let loads = recorders.enumerated().map { number, recorder in
            let sink = LoadSink(didReceiveData: recorder.receive) { error in
                order.append(number)
                recorder.complete(error)
            }
            return loader.load(
                URLRequest(url: server.url("/\(number)")),
                priority: .normal,
                slots: slots,
                prepare: nil,
                into: sink
            )
        }
        try await eventually { slots.operationCount >= 3 }
        loads[2].setPriority(.veryHigh)
        loads[0].setPriority(.veryLow)
        loads[1].cancel()
        #expect(await recorders[1].end().error is CancellationError)
        slots.isSuspended = false
        #expect(await recorders[0].end().error == nil)
        #expect(order.numbers == [1, 2, 0])
        #expect(server.requests.map(\.path) == ["/2", "/0"])
    }

    @Test(
        "a transfer that stalls leaves its place to others and goes on without one",
        arguments: [false, true]
    )
    func stalls(isBegun: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in
            guard request.path == "/stalls" else { return .data(Data("quick".utf8)) }
            return .init(body: .pieces([Data("sl".utf8), Data("ow".utf8)])) { moment in
                if moment == (isBegun ? .beforePiece(1) : .beforeHead) { gate.wait() }
            }
        }
        let slots = OperationQueue()
        slots.maxConcurrentOperationCount = 1
        let loader = CurlDataLoader()
        let recorders = ["/stalls", "/quick", "/quick"].map { path in
            let recorder = LoadRecorder()
            _ = loader.load(
                URLRequest(url: server.url(path)),
                priority: .normal,
                slots: slots,
                prepare: nil,
                into: LoadSink(didReceiveData: recorder.receive, completion: recorder.complete)
            )
            return recorder
        }
        for quick in recorders.dropFirst() { #expect(await quick.end().body == Data("quick".utf8)) }
        gate.open()
        let slow = await recorders[0].end()
        #expect(slow.error == nil)
        #expect(slow.body == Data("slow".utf8))
    }

    @Test func tellsTheObserverOfEachTransfer() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .redirect(to: "/b") : .data(Data("x".utf8)) }
        let order = Order()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = { record in order.append(record.head?.status ?? 0) }
        _ = await CurlDataLoader(configuration: configuration).load(server.url("/a"))
        #expect(order.numbers == [302, 200])
    }
}
