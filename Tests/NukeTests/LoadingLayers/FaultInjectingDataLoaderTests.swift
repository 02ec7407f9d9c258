import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FaultInjectingDataLoaderTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in
            .init(body: .pieces([Data("abcd".utf8), Data("efgh".utf8), Data("ijkl".utf8)]))
        }
    }

    @Test func followsItsScriptForEachURL() async throws {
        let loader = FaultInjectingDataLoader(
            CurlDataLoader(),
            faults: [
                [.fail(URLError(.timedOut))], [.status(503, headers: ["Retry-After": "5"])],
                [.failAfter(bytes: 0, URLError(.networkConnectionLost))],
                [.failAfter(bytes: 6, URLError(.networkConnectionLost))], [.truncate(bytes: 6)],
            ]
        )
        for path in ["/a", "/b"] {
            var outcomes: [LoadOutcome] = []
            for _ in 0..<6 { outcomes.append(await loader.load(server.url(path))) }
            #expect(outcomes.map(\.text) == ["", "", "", "abcdef", "abcdef", "abcdefghijkl"])
            #expect(outcomes.map { $0.error == nil } == [false, false, false, false, true, true])
            #expect(outcomes.allSatisfy { $0.completions == 1 && !$0.isLate })
            #expect((outcomes[0].error as? URLError)?.code == .timedOut)
            #expect(outcomes[1].loadingError?.statusCode == 503)
            #expect(outcomes[1].loadingError?.retryAfter == .seconds(5))
            #expect((outcomes[3].error as? URLError)?.code == .networkConnectionLost)
        }
        #expect(loader.requests.count == 12)
        #expect(server.requests.count == 8)
    }

    @Test func delaysByItsClock() async throws {
        let clock = TestClock()
        let loader = FaultInjectingDataLoader(CurlDataLoader(), clock: clock) { _, _ in
            [.delay(.seconds(60)), .delay(.seconds(3600)), .truncate(bytes: 1)]
        }
        #expect(await loader.load(server.url()).text == "a")
        #expect(clock.pauses == [.seconds(60), .seconds(3600)])
    }

    @Test func endsAtOnceWhenCancelledInADelay() async throws {
        let clock = TestClock(isHolding: true)
        let loader = FaultInjectingDataLoader(CurlDataLoader(), clock: clock) { _, _ in [.delay(.seconds(60))]
        }
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url()), on: loader)
        await clock.sleeper()
        load.cancel()
        #expect(recorder.outcome.completions == 0)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [0, 5, 12, 100])
    func stallsUntilCancelled(bytes: Int) async throws {
        let loader = FaultInjectingDataLoader(CurlDataLoader()) { _, _ in [.stall(bytes: bytes)] }
        let recorder = LoadRecorder()
        let load = recorder.start(URLRequest(url: server.url()), on: loader)
        await recorder.wait(forBytes: min(bytes, 12))
        _ = await server.requests(atLeast: 1)
        #expect(recorder.outcome.completions == 0)
        load.cancel()
        #expect(recorder.outcome.body.count == min(bytes, 12))
        #expect(recorder.outcome.completions == 0)
    }

    @Test func drawsTheSameFaultsFromTheSameSeed() async throws {
        func failures(_ seed: UInt64, _ rate: Double) async -> [String] {
            let loader = FaultInjectingDataLoader(
                CurlDataLoader(),
                faults: [.fail(URLError(.timedOut)), .truncate(bytes: 3)],
                rate: rate,
                seed: seed
            )
            return await withTaskGroup(of: (Int, String).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let outcome = await loader.load(URLRequest(url: self.server.url("/\(number)")))
                        return (number, outcome.error == nil ? outcome.text : "failed")
                    }
                }
                var results = [String](repeating: "", count: 60)
                for await (number, result) in group { results[number] = result }
                return results
            }
        }
        let first = await failures(1, 0.5)
        #expect(first == (await failures(1, 0.5)))
        #expect(first != (await failures(2, 0.5)))
        #expect(Set(first) == ["failed", "abc", "abcdefghijkl"])
        #expect((15...45).contains(first.count { $0 == "abcdefghijkl" }))
        #expect(Set(await failures(1, 0)) == ["abcdefghijkl"])
        #expect(await failures(1, 1).contains("abcdefghijkl") == false)
    }
}
