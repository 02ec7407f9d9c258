import DataLoadingConformance
import Foundation
import LoopbackServer
import Nuke
import TestSupport
import Testing

/// Both loaders keep every rule of the contract, and a loader that breaks one is found out.
@Suite(.timeLimit(.minutes(10)))
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

    @Test(arguments: Loader.allCases, DataLoadingConformance.Rule.allCases)
    func keepsTheRule(loader: Loader, rule: DataLoadingConformance.Rule) async {
        // Beside tests that keep every core busy, what needs a turn may wait for long.
        let suite = DataLoadingConformance(timeLimit: .seconds(60)) { loader.make() }
        let finding = await suite.check(rule)
        #expect(finding.isMet, "\(finding)")
    }

    @Test(arguments: DataLoadingConformance.Rule.allCases)
    func findsOutWhoBreaksTheRule(rule: DataLoadingConformance.Rule) async {
        let suite = DataLoadingConformance(timeLimit: .milliseconds(500)) { BrokenLoader(breaking: rule) }
        let finding = await suite.check(rule)
        #expect(!finding.isMet)
        #expect(finding.description.hasPrefix("\(rule.rawValue): "))
    }

    @Test func findsOutWhoNeverEnds() async {
        let suite = DataLoadingConformance(timeLimit: .milliseconds(200)) { SilentLoader() }
        let findings = await suite.run()
        #expect(findings.map(\.rule) == DataLoadingConformance.Rule.allCases)
        // Whether it broke the rule on cancelling at once cannot be told before another load has ended.
        #expect(findings.allSatisfy { !$0.isMet })
    }

    @Test func reachesTheServersByOtherURLs() async {
        let suite = DataLoadingConformance(timeLimit: .seconds(60)) {
            // As a loader with a scheme of its own would be asked.
            URL(string: $0.absoluteString.replacingOccurrences(of: "http:", with: "HTTP:")) ?? $0
        } makeLoader: {
            CurlDataLoader()
        }
        #expect(await suite.check(.order).isMet)
    }

    // What our two loaders do besides.

    @Test(arguments: Loader.allCases)
    func stopsTheTransferOfARejectedAnswer(loader: Loader) async throws {
        let server = try LoopbackServer { _ in .init(status: 404, body: .endless(Data(count: 65_536))) }
        let loader = loader.make()
        let outcome = await loader.load(server.url())
        #expect(outcome.error != nil)
        _ = await server.abandoned(atLeast: 1)
        #expect(outcome.chunks.isEmpty)
    }

    enum Manner: CaseIterable {
        case endAtOnce, endLater, endAfterBytes, chunksLater
    }

    @Test(arguments: Manner.allCases)
    func findsOutWhoTellsMoreAfterCancel(manner: Manner) async {
        let suite = DataLoadingConformance(timeLimit: .seconds(60)) { TalkativeLoader(manner) }
        #expect(!(await suite.check(.cancellationDuring)).isMet)
        #expect(await suite.check(.order).isMet)
    }

    @Test(arguments: Loader.allCases)
    func tellsNothingOfALoadThatIsCancelled(loader: Loader) async throws {
        let server = try LoopbackServer { request in
            request.path == "/whole" ? .data(Data(count: 100)) : .init(body: .endless(Data(count: 100)))
        }
        let loader = loader.make()
        let recorders = (0..<50).map { _ in LoadRecorder() }
        for (number, recorder) in recorders.enumerated() {
            let load = recorder.start(URLRequest(url: server.url()), on: loader)
            if number.isMultiple(of: 2) { await recorder.wait(forBytes: 1) }
            load.cancel()
        }
        for _ in 0..<3 { #expect(await loader.load(server.url("/whole")).body.count == 100) }
        #expect(recorders.allSatisfy { $0.outcome.completions == 0 })
        let bytes = recorders.map { $0.outcome.body.count }
        #expect(await loader.load(server.url("/whole")).body.count == 100)
        #expect(recorders.map { $0.outcome.body.count } == bytes)
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
}
