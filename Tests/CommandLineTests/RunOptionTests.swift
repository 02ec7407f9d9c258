import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The options of `run` that no other suite covers.
@Suite(.timeLimit(.minutes(10))) struct RunOptionTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer.tinyPictures()
        try write(count: 4)
    }

    private func write(count: Int, _ rest: String = "") throws {
        let urls = (0..<count).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [{"name": "a", "format": "png", "path": "a/{stem}.{ext}"},
             {"name": "b", "format": "jpeg", "path": "b/{stem}.{ext}"}]\(rest)
            """
        )
    }

    @Test("--limit ends with 5 while work is left and says how to go on, and with 0 when none is")
    func limit() async throws {
        let first = try await job.run("--limit", "3", exit: 5)
        #expect(
            first.output.contains("1 left") && first.output.contains("to continue: nuke-batch run job.json")
        )
        #expect(server.requests.count == 3)
        try await job.run("--limit", "1")
        #expect(job.files().count == 8)
    }

    @Test("--only-output makes one, the next run the others from the cache; one that is not there is named")
    func onlyOutput() async throws {
        try await job.run("--only-output", "b")
        #expect(job.files() == (0..<4).map { "b/\($0).jpg" })
        #expect(try await job.run().output.hasPrefix("4 made, 4 reused"))
        #expect(job.files().count == 8 && server.requests.count == 4)
        let wrong = try await job.run("--only-output", "c", exit: 2)
        #expect(wrong.errors.contains("no output c") && wrong.errors.contains("a, b"), "\(wrong.errors)")
    }

    @Test("--fresh forgets the state and keeps the cache")
    func fresh() async throws {
        try await job.run()
        #expect(try await job.run("--fresh").output.hasPrefix("8 made"))
        #expect(server.requests.count == 4)
        #expect(try await job.nukeBatch("status", "job.json").output.contains("run 1 "))
        #expect(try await !job.nukeBatch("status", "job.json").output.contains("run 2 "))
    }

    @Test("--rate, --concurrency, --per-host and --processing take the place of the manifest's")
    func rates() async throws {
        try write(count: 12, #", "loading": {"burst": 2}"#)
        let start = ContinuousClock.now
        try await job.run("--rate", "20/s", "--concurrency", "3", "--per-host", "2", "--processing", "1")
        // Ten beyond the burst.
        #expect(ContinuousClock.now - start > .milliseconds(450))
        for words in [
            ["--rate", "20"], ["--concurrency", "0"], ["--per-host", "x"], ["--processing", "-1"],
            ["--memory", "much"],
            ["--max-duration", "10"], ["--limit", "0"], ["--shard", "0/2"],
        ] {
            let wrong = try await Program.run("nuke-batch", ["run", "job.json"] + words, in: job.folder.path)
            #expect(wrong.exit == 2 && wrong.errors.contains(words[0]), "\(words): \(wrong.errors)")
        }
    }

    @Test("--quiet is silent on exit 0 alone; --verbose names each failure as it happens")
    func quiet() async throws {
        let quiet = try await job.run("--quiet")
        #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
        try job.write(
            #""sources": [{"urls": ["\#(server.address)/none?key=SECRET", "\#(server.address)/1.png"]}]"#
        )
        let failing = try await job.run("--quiet", exit: 1)
        #expect(failing.output.contains("1 failed; to see them: nuke-batch items job.json --state failed"))
        #expect(failing.errors.isEmpty)
        let verbose = try await job.run("--fresh", "--verbose", exit: 1)
        #expect(verbose.errors.contains("\(server.address)/none?…: http_404: "), "\(verbose.errors)")
        #expect(!(verbose.errors + verbose.output).contains("SECRET"))
    }

    @Test("the summary says what was made, reused, skipped and failed, from where, and what to type next")
    func summary() async throws {
        let bytes = try (0..<4).map { try TestImages.tiny($0).count }.reduce(0, +)
        let first = try await job.run()
        #expect(
            first.lines[0].wholeMatch(of: /8 made; 4 of 4 items done in [0-9.]+ s/) != nil,
            "\(first.output)"
        )
        #expect(first.lines[1] == "from the network \(bytes) B, from cache and files 0 B")
        try write(count: 5, #", "processors": [{"resize": {"width": 2}}]"#)
        try job.folder.write("mine", to: "out/a/9.png")
        let second = try await job.run("--json")
        let end = try job.end(second)
        #expect(end["made"] as? Int == 10 && end["reused"] as? Int == 0 && end["exit"] as? Int == 0)
        #expect(end["cacheBytes"] as? Int == bytes)
        #expect(end["networkBytes"] as? Int == (try TestImages.tiny(4)).count)
        #expect(try #require(end["seconds"] as? Double) > 0)
    }

    @Test("warm loads originals alone; what it warmed needs no request later")
    func warm() async throws {
        #expect(try await job.nukeBatch("warm", "job.json").exit == 0)
        #expect(job.files().isEmpty && server.requests.count == 4)
        #expect(try await job.items().allSatisfy { $0["state"] as? String == "done" })
        #expect(try await job.run("--offline").output.hasPrefix("8 made"))
        #expect(server.requests.count == 4)
        let only = try await job.nukeBatch("warm", "job.json", "--only-output", "a")
        #expect(only.exit == 2 && only.errors.contains("--only-output"))
    }
}
