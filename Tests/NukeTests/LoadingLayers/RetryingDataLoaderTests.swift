import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RetryingDataLoaderTests {
    private let clock = TestClock()

    /// The whole of each longest pause is waited, so that pauses can be compared.
    private func make(
        _ loader: any DataLoading = CurlDataLoader(),
        change: (inout RetryingDataLoader.Policy) -> Void = { _ in }
    ) -> RetryingDataLoader {
        var policy = RetryingDataLoader.Policy()
        change(&policy)
        return RetryingDataLoader(loader, policy: policy, clock: clock) { 1 }
    }

    /// A server that answers with each of these in turn, and with the last for ever.
    private func server(_ responses: LoopbackServer.Response...) throws -> LoopbackServer {
        let count = Mutex(0)
        return try LoopbackServer { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return responses[min(number, responses.count - 1)]
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func repeatsWhatMayPass(status: Int) async throws {
        let server = try server(.status(status), .status(status), .data(Data("body".utf8)))
        for loader in [CurlDataLoader(), DataLoader()] as [any DataLoading] {
            let before = server.requests.count
            let outcome = await make(loader).load(server.url())
            #expect(outcome.error == nil)
            #expect(outcome.text == "body")
            #expect(outcome.completions == 1)
            #expect(server.requests.count - before == (before == 0 ? 3 : 1))
        }
        #expect(clock.pauses == [.milliseconds(500), .seconds(1)])
    }

    @Test(arguments: [400, 401, 403, 404, 410, 416, 501, 505])
    func repeatsNothingThatStays(status: Int) async throws {
        let server = try server(.status(status))
        #expect(await make().load(server.url()).loadingError?.statusCode == status)
        #expect(server.requests.count == 1)
        #expect(clock.pauses.isEmpty)
    }

    @Test func givesUpAfterTheLastAttempt() async throws {
        let server = try server(.status(503))
        let outcome = await make { $0.attempts = 5 }.load(server.url())
        #expect(outcome.loadingError?.statusCode == 503)
        #expect(outcome.completions == 1)
        #expect(server.requests.count == 5)
        #expect(clock.pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    }

    @Test func boundsThePauses() async throws {
        let server = try server(.status(503))
        _ = await make {
            $0.attempts = 70
            $0.longestDelay = .seconds(3)
        }.load(server.url())
        #expect(server.requests.count == 70)
        #expect(clock.pauses.dropFirst(3).allSatisfy { $0 == .seconds(3) })
    }

    @Test func waitsARandomPart() async throws {
        let server = try server(.status(503))
        let loader = RetryingDataLoader(CurlDataLoader(), clock: clock)
        for _ in 0..<20 { _ = await loader.load(server.url()) }
        #expect(clock.pauses.count == 40)
        #expect(Set(clock.pauses).count > 30)
        for (number, pause) in clock.pauses.enumerated() {
            #expect((.zero...(.milliseconds(number % 2 == 0 ? 500 : 1000))).contains(pause))
        }
    }

    @Test(arguments: [429, 503])
    func waitsAsLongAsTheServerAsks(status: Int) async throws {
        let asking = LoopbackServer.Response.status(status, headers: [("Retry-After", "7")])
        for loader in [CurlDataLoader(), DataLoader()] as [any DataLoading] {
            let server = try server(asking, .data(Data("body".utf8)))
            #expect(await make(loader).load(server.url()).text == "body")
        }
        #expect(clock.pauses == [.seconds(7), .seconds(7)])
    }

    @Test func doesNotComeBackBeforeTheServerWants() async throws {
        let server = try server(.tooManyRequests(retryAfter: 61))
        #expect(await make().load(server.url()).loadingError?.retryAfter == .seconds(61))
        #expect(server.requests.count == 1)
        #expect(clock.pauses.isEmpty)
    }

    @Test(arguments: [
        ("GET", 3), ("HEAD", 3), ("PUT", 3), ("DELETE", 3), ("OPTIONS", 3), ("TRACE", 3), ("POST", 1),
        ("PATCH", 1),
    ])
    func repeatsOnlyWhatMayBeSentTwice(method: String, count: Int) async throws {
        let server = try server(.status(503))
        var request = URLRequest(url: server.url())
        request.httpMethod = method
        #expect(await make().load(request).error != nil)
        #expect(server.requests.count == count)
    }

    @Test func repeatsBrokenConnections() async throws {
        for body in [.reset, .nothing] as [LoopbackServer.Response.Body] {
            let server = try server(.init(body: body), .init(body: body), .data(Data("body".utf8)))
            #expect(await make().load(server.url()).text == "body")
        }
        let recorder = await make().load(try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(recorder.loadingError?.reason == .refused)
        #expect(clock.pauses.count == 6)
    }

    @Test(arguments: [
        (URLError.Code.timedOut, 3), (.networkConnectionLost, 3), (.cannotConnectToHost, 3),
        (.dnsLookupFailed, 3), (.notConnectedToInternet, 3), (.badURL, 1), (.cancelled, 1),
        (.unsupportedURL, 1), (.userAuthenticationRequired, 1),
    ])
    func knowsTheErrorsOfSessions(code: URLError.Code, count: Int) async throws {
        let faults = FaultInjectingDataLoader(CurlDataLoader()) { _, _ in [.fail(URLError(code))] }
        let outcome = await make(faults).load(try #require(URL(string: "http://127.0.0.1:1/")))
        #expect((outcome.error as? URLError)?.code == code)
        #expect(faults.requests.count == count)
    }

    @Test func repeatsNothingThatWasDeliveredInPart() async throws {
        let server = try server(.init(body: .truncated(Data(count: 10), declaredLength: 20)))
        let outcome = await make().load(server.url())
        #expect(outcome.body.count == 10)
        #expect(outcome.error != nil)
        #expect(outcome.completions == 1)
        #expect(server.requests.count == 1)
    }

    @Test func endsAtOnceWhenCancelledInAPause() async throws {
        let holding = TestClock(isHolding: true)
        let server = try server(.status(503))
        let recorder = LoadRecorder()
        let load = recorder.start(
            URLRequest(url: server.url()),
            on: RetryingDataLoader(CurlDataLoader(), clock: holding)
        )
        await holding.sleeper()
        load.cancel()
        #expect(recorder.outcome.completions == 0)
        #expect(server.requests.count == 1)
    }

    @Test func worksBelowTheCache() async throws {
        let isDown = Mutex(false)
        let server = try LoopbackServer { request in
            let isDownNow = isDown.withLock { isDown in
                defer { isDown.toggle() }
                return isDown
            }
            if isDownNow { return .status(503) }
            return request.isConditional
                ? .init(status: 304) : .init(headers: [("ETag", "\"a\"")], body: .data(Data("body".utf8)))
        }
        let fixture = HTTPCacheFixture(make(DataLoader()))
        for _ in 0..<3 { #expect(await fixture.load(server.url()).text == "body") }
        #expect(server.requests.count == 5)
        #expect(clock.pauses.count == 2)
    }
}
