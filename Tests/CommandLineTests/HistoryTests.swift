import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// The history of a job: nights that fail at their start, are interrupted, killed or refused, and what was different in each.
@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    private let job: JobFolder
    private let server: LoopbackServer
    private let gate = Gate()
    /// The pictures that are missing, and the number of one whose answer waits for the gate.
    private let trouble: Trouble

    private final class Trouble: Sendable {
        let missing = Mutex<Set<String>>(["/2.png"])
        let held = Mutex<String?>(nil)
    }

    init() throws {
        job = try JobFolder()
        let (gate, trouble) = (gate, Trouble())
        self.trouble = trouble
        server = try LoopbackServer { request in
            if trouble.held.withLock({ $0 }) == request.path { gate.wait() }
            guard !trouble.missing.withLock({ $0.contains(request.path) }) else { return .status(404) }
            let number = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
            return (try? TestImages.tiny(number)).map { .data($0) } ?? .status(500)
        }
    }

    private func write(_ numbers: ClosedRange<Int>, quality: Int) throws {
        let lines = numbers.map { "\(server.address)/\($0).png" }
        try job.folder.write("url\n" + lines.joined(separator: "\n") + "\n", to: "list.csv")
        try job.write(
            """
            "sources": [{"list": "list.csv", "columns": {"url": "url"}}], "destination": "out",
            "outputs": [{"name": "small", "format": {"jpeg": {"quality": \(quality)}}, "path": "{stem}.{ext}"}],
            "loading": {"rate": "1000/s"}
            """
        )
    }

    private func status() async throws -> (runs: [[String: Any]], text: String) {
        let outcome = try await job.nukeBatch("status", "job.json", "--json")
        let object = try #require(try ToldJob.objects(outcome).first, "\(outcome.errors)")
        let text = try await job.nukeBatch("status", "job.json")
        return (try #require(object["runs"] as? [[String: Any]]), text.output)
    }

    @Test("the manifest's changes, items that come and go, new failures and recovered items")
    func differences() async throws {
        try write(1...3, quality: 80)
        try await job.run("--quiet", exit: 1)
        var (runs, text) = try await status()
        #expect(runs[0]["newFailures"] as? Int == 1 && runs[0]["recovered"] as? Int == 0)
        #expect(
            runs[0]["added"] is NSNull && runs[0]["changes"] is NSNull,
            "there is nothing to compare with"
        )
        #expect(text.contains("  2 made  1 failed, 1 new\n"), "\(text)")
        #expect(text.contains("slowest of the last 3 requests\n"), "\(text)")

        trouble.missing.withLock { $0 = [] }
        try write(2...5, quality: 85)
        try await job.nukeBatch("retry", "job.json", "--quiet")
        (runs, text) = try await status()
        #expect(runs[0]["newFailures"] as? Int == 0 && runs[0]["recovered"] as? Int == 1, "\(text)")
        #expect(runs[0]["added"] as? Int == 2 && runs[0]["removed"] as? Int == 1, "\(text)")
        let changes = try #require(runs[0]["changes"] as? [String: Any])
        #expect(changes["count"] as? Int == 1)
        #expect(text.contains("\n  manifest changed: outputs[0].format.jpeg.quality: 80 → 85\n"), "\(text)")
        #expect(
            text.contains("\n  items: 2 added, 1 removed\n") && text.contains("  1 recovered\n"),
            "\(text)"
        )

        try await job.run("--quiet")
        (runs, text) = try await status()
        #expect(runs[0]["added"] as? Int == 0 && runs[0]["removed"] as? Int == 0)
        #expect((runs[0]["changes"] as? [String: Any])?["count"] as? Int == 0)
        let report = try await job.nukeBatch("report", "job.json", "--output", "report.html")
        #expect(report.exit == 0, "\(report.errors)")
        let page = String(decoding: try job.data("report.html"), as: UTF8.self)
        #expect(page.contains("<div>manifest changed: outputs[0].format.jpeg.quality: 80 → 85</div>"))
        #expect(page.contains("<div>items: 2 added, 1 removed</div>") && !page.contains("<script"))
    }

    @Test("a run that fails at its start is recorded with the reason, and its last event says the same")
    func failedStart() async throws {
        try write(1...1, quality: 80)
        try await job.run("--quiet")
        try job.folder.write("url\n", to: "list.csv")
        let failed = try await job.run("--json", exit: 2)
        let events = try ToldJob.objects(failed)
        #expect(events.count == 1 && events.last?["event"] as? String == "run_finished", "\(failed.output)")
        #expect(events.last?["exit"] as? Int == 2)
        let reason = try #require(events.last?["stopped"] as? String)
        #expect(reason.contains("list.csv"), "\(reason)")
        let (runs, text) = try await status()
        #expect(runs.map { $0["exit"] as? Int } == [2, 0] && runs[0]["stopped"] as? String == reason)
        #expect(text.contains("\n  stopped: "), "\(text)")
        // A damaged state has no room for a record, but the event comes all the same.
        try job.folder.write("damaged", to: ".nuke-batch/job.sqlite")
        let damaged = try await job.run("--json", exit: 4)
        let last = try #require(try ToldJob.objects(damaged).last)
        #expect(last["event"] as? String == "run_finished" && last["exit"] as? Int == 4)
    }

    @Test("refused, interrupted and killed runs are told apart")
    func others() async throws {
        trouble.held.withLock { $0 = "/3.png" }
        trouble.missing.withLock { $0 = [] }
        try write(1...3, quality: 80)
        let run = try Program("nuke-batch", ["run", "job.json", "--quiet"], in: job.folder.path)
        _ = await server.requests(atLeast: 3)
        for _ in 0..<2 {
            let refused = try await job.run("--json", exit: 3)
            #expect(refused.output.isEmpty, "the run that holds the job reports its own end")
        }
        // The run counts them, and until then `status` reads what they have left.
        var (runs, text) = try await status()
        #expect(runs.count == 1 && runs[0]["refused"] as? Int == 2 && runs[0]["lastRefused"] is String)
        #expect(text.contains("\n  refused meanwhile: 2 runs, the last at "), "\(text)")
        run.signal(SIGTERM)
        #expect(await run.wait().exit == 143)
        (runs, text) = try await status()
        #expect(runs[0]["refused"] as? Int == 2 && text.contains("  exit 143  interrupted by SIGTERM  "))
        let left = try FileManager.default.contentsOfDirectory(atPath: job.folder.path(".nuke-batch"))
        #expect(!left.contains { $0.contains("refused") }, "\(left)")

        let killed = try Program("nuke-batch", ["run", "job.json", "--quiet"], in: job.folder.path)
        _ = await server.requests(atLeast: 4)
        killed.signal(SIGKILL)
        _ = await killed.wait()
        gate.open()
        try await job.run("--quiet")
        (runs, text) = try await status()
        #expect(runs.map { $0["exit"] as? Int } == [0, nil, 143], "\(text)")
        #expect(text.contains("  ended uncleanly\n"), "\(text)")
        #expect(runs.map { $0["refused"] as? Int } == [0, 0, 2])
    }
}
