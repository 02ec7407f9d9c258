import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The robots.txt of origins, which datasets honour, through the real program.
@Suite(.timeLimit(.minutes(10))) struct RobotsTests {
    /// The answer to a request for robots.txt; the test may change it.
    private final class Rules: Sendable {
        private let answer: Mutex<LoopbackServer.Response>

        init(_ answer: LoopbackServer.Response) { self.answer = Mutex(answer) }

        var current: LoopbackServer.Response { answer.withLock { $0 } }

        func change(to response: LoopbackServer.Response) { answer.withLock { $0 = response } }
    }

    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let rules = Rules(.data(Data("User-agent: nuke-batch\nDisallow: /private/\n".utf8)))

    init() throws {
        folder = try TemporaryFolder()
        let image = try TestImages.tiny(1)
        let rules = rules
        server = try LoopbackServer { $0.path == "/robots.txt" ? rules.current : .data(image) }
    }

    private var loaded: [String] { server.requests.map(\.path).sorted() }

    private func run(_ dataset: String, cache: String = "", _ words: String...) async throws
        -> Program.Outcome
    {
        let urls = ["/1.png", "/2.png", "/private/3.png"].map { "\"\(server.url($0))\"" }.joined(
            separator: ", "
        )
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}]\(dataset), "outputs": [{"format": "png", "path": "{index}.{ext}"}],
             "network": {"allow": ["127.0.0.1"]}, "cache": {"directory": "cache"\(cache)}, "retry": {"attempts": 1}}
            """,
            to: "job.json"
        )
        return try await Program.run("nuke-batch", words, in: folder.path)
    }

    @Test("a dataset leaves out what they forbid, for one request an origin and run")
    func forbidden() async throws {
        let dataset = #", "dataset": {}"#
        let first = try await run(dataset, "run", "job.json")
        #expect(first.exit == 0 && first.output.contains("2 made"), "\(first.output)\(first.errors)")
        #expect(loaded == ["/1.png", "/2.png", "/robots.txt"])
        let status = try await run(dataset, "status", "job.json")
        #expect(status.output.contains("\n  skipped as robots: 1\n"), "\(status.output)")
        let explained = try await run(
            dataset,
            "explain",
            "job.json",
            server.url("/private/3.png").absoluteString
        )
        #expect(explained.output.contains("robots.txt of its origin forbids it"), "\(explained.output)")
        let again = try await run(dataset, "run", "job.json")
        #expect(again.exit == 0 && loaded.count == 3, "\(again.output)")
        // What the cache has is not asked for.
        let fresh = try await run(dataset, "run", "job.json", "--fresh")
        #expect(fresh.exit == 0 && loaded.filter { $0 == "/1.png" }.count == 1, "\(loaded)")

        let without = try await run(#", "dataset": {"honourRobots": false}"#, "run", "job.json")
        #expect(without.exit == 0 && without.output.contains("1 made"), "\(without.output)\(without.errors)")
        #expect(loaded.contains("/private/3.png"))
    }

    @Test("other jobs do not ask for them") func withoutDataset() async throws {
        let run = try await run("", "run", "job.json")
        #expect(run.exit == 0 && run.output.contains("3 made"), "\(run.output)\(run.errors)")
        #expect(!loaded.contains("/robots.txt"))
    }

    @Test(
        "where one cannot be had, the stale original is used, and its origin not asked",
        arguments: [true, false]
    )
    func stale(usesStale: Bool) async throws {
        let (dataset, cache) = (#", "dataset": {}"#, #", "staleIfError": \#(usesStale)"#)
        rules.change(to: .status(404))
        let first = try await run(dataset, cache: cache, "run", "job.json")
        #expect(first.exit == 0 && first.output.contains("3 made"), "\(first.output)\(first.errors)")
        rules.change(to: .status(503))
        let second = try await run(dataset, cache: cache, "run", "job.json", "--revalidate")
        #expect(second.exit == (usesStale ? 0 : 1), "\(second.output)\(second.errors)")
        let told = second.output + second.errors
        #expect(told.contains("3 originals were used without revalidation") == usesStale, "\(told)")
        #expect(loaded.filter { $0 != "/robots.txt" }.count == 3)
    }

    @Test("an origin without one allows everything", arguments: [401, 404, 410]) func missing(status: Int)
        async throws
    {
        rules.change(to: .status(status))
        let run = try await run(#", "dataset": {}"#, "run", "job.json")
        #expect(run.exit == 0 && run.output.contains("3 made"), "\(run.output)\(run.errors)")
    }

    @Test("one that comes in chunks counts towards maxBytes, beyond which nothing is loaded from its origin")
    func tooLarge() async throws {
        let lines = Array(repeating: Data("# nothing is said here\n".utf8), count: 1000)
        rules.change(to: .init(body: .chunked(lines)))
        for (limit, made) in [("20kB", "0 made"), ("1MB", "3 made")] {
            let dataset = #", "dataset": {}, "loading": {"maxBytes": "\#(limit)"}"#
            let run = try await run(dataset, "run", "job.json", "--fresh")
            #expect(run.output.contains(made), "\(run.output)\(run.errors)")
            #expect(loaded.contains("/1.png") == (made == "3 made"), "\(loaded)")
        }
    }

    @Test("nothing is loaded from an origin that cannot give its own, until it can") func unreachable()
        async throws
    {
        rules.change(to: .status(503))
        let dataset = #", "dataset": {}"#
        let failed = try await run(dataset, "run", "job.json")
        #expect(failed.exit == 1, "\(failed.output)\(failed.errors)")
        #expect(Set(loaded) == ["/robots.txt"])
        let items = try await run(dataset, "items", "job.json", "--state", "failed")
        #expect(items.output.contains("http_503") && items.output.contains("robots.txt"), "\(items.output)")
        rules.change(to: .data(Data("User-agent: *\nDisallow: /\nAllow: /1.png$\n".utf8)))
        let mended = try await run(dataset, "retry", "job.json")
        #expect(mended.exit == 0 && mended.output.contains("1 made"), "\(mended.output)\(mended.errors)")
    }
}
