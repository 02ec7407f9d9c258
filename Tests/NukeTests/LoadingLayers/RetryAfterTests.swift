import Foundation
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RetryAfterTests {
    @Test(arguments: [
        ("7", 7.0), ("0", 0), ("3600", 3600), ("86400", 3600), ("99999999999999999999", 3600), (" 5 ", 5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("Sun Nov  6 08:49:37 1994", 0),
        ("Fri, 31 Dec 2399 23:59:59 GMT", 3600),
    ])
    func readsSecondsAndDates(value: String, seconds: Double) async throws {
        #expect(try await pause(value) == .seconds(seconds))
    }

    @Test(arguments: [
        "-1", "soon", "", "1.5", "0x10", "Sun, 99 Nov 2994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "\u{661}",
    ])
    func ignoresGarbage(value: String) async throws {
        #expect(try await pause(value) == nil)
    }

    func pause(_ value: String) async throws -> Duration? {
        let server = try LoopbackServer { _ in .status(503, headers: [("Retry-After", value)]) }
        let error = try #require(await CurlDataLoader().load(server.url()).loadingError)
        #expect(error.statusCode == 503)
        #expect(!error.isHostHeld)
        return error.retryAfter
    }

    @Test func holdsTheHost() async throws {
        let server = try LoopbackServer { _ in .tooManyRequests(retryAfter: 3600) }
        var configuration = CurlDataLoader.Configuration()
        let rateLimiter = HostRateLimiter()
        configuration.rateLimiter = rateLimiter
        let loader = CurlDataLoader(configuration: configuration)
        let error = try #require(await loader.load(server.url("/a")).loadingError)
        #expect(error.isHostHeld)
        #expect(error.isTransient)
        #expect(error.retryAfter == .seconds(3600))
        let slots = OperationQueue()
        let recorder = LoadRecorder()
        let load = loader.load(
            URLRequest(url: server.url("/b")),
            priority: .high,
            slots: slots,
            prepare: nil,
            into: LoadSink(didReceiveData: recorder.receive, completion: recorder.complete)
        )
        try await rateLimiter.wait(for: 1, at: HostRateLimiter.host(of: server.url()))
        #expect(slots.operationCount == 0)
        #expect(rateLimiter.waiting.first?.reason == .held)
        load.cancel()
        #expect(await recorder.end().error is CancellationError)
        #expect(server.requests.count == 1)
    }

    /// A server that allows 100 requests a second, in real time: all are obtained, with few refusals.
    @Test func findsTheRateOfARealServer() async throws {
        let bucket = Mutex((excess: 0.0, last: ContinuousClock.now))
        let server = try LoopbackServer { request in
            let isAccepted = bucket.withLock { bucket in
                let seconds = (request.arrival - bucket.last) / .seconds(1)
                let next = max(0, bucket.excess - 100 * seconds + 1)
                guard next <= 10 else { return false }
                bucket = (next, request.arrival)
                return true
            }
            return isAccepted ? .data(Data("x".utf8)) : .status(429, headers: [("Retry-After", "0")])
        }
        var configuration = CurlDataLoader.Configuration()
        configuration.rateLimiter = HostRateLimiter(limits: .init(rate: 400, burst: 25, concurrency: 6))
        let loader = CurlDataLoader(configuration: configuration)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    while await loader.load(server.url("/\(number)")).loadingError?.isHostHeld == true {}
                }
            }
        }
        let arrivals = server.requests.map(\.arrival)
        let refused = arrivals.count - 100
        #expect(Set(server.requests.map(\.path)).count == 100)
        // Where the machine stops for a while, the gate has its burst of 25 saved up, of which the server takes ten.
        let stops = zip(arrivals, arrivals.dropFirst()).count { $0.duration(to: $1) > .milliseconds(100) }
        #expect(refused <= 40 + 15 * stops, "\(refused) refused, \(stops) stops")
    }

    @Test func countsRedirectsAgainstTheirHosts() async throws {
        let other = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let server = try LoopbackServer { _ in .redirect(to: other.address + "/x") }
        var configuration = CurlDataLoader.Configuration()
        let rateLimiter = HostRateLimiter(limits: .init(rate: 0.01, burst: 1, concurrency: 1))
        configuration.rateLimiter = rateLimiter
        let loader = CurlDataLoader(configuration: configuration)
        #expect(await loader.load(server.url()).error == nil)
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: other.url()), on: loader)
        try await rateLimiter.wait(for: 1, at: HostRateLimiter.host(of: other.url()))
        #expect(rateLimiter.waiting.first?.reason == .rate)
        load.cancel()
        try await eventually { rateLimiter.waiting.isEmpty }
        #expect(recorder.outcome.completions == 0)
        #expect(other.requests.count == 1)
    }
}
