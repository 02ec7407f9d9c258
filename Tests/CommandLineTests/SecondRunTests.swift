import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The messages and results of a run, and how `retry`, `verify` and the next run continue from them.
@Suite(.timeLimit(.minutes(10))) struct SecondRunTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() async throws {
        let listed = try await ListedJob()
        (job, server) = (listed.job, listed.server)
    }

    @Test(
        "a run tries what may pass again, and leaves to retry what is permanent; retry takes what is selected"
    )
    func retry() async throws {
        func count(_ path: String) -> Int { server.requests.count { $0.path == path } }
        try await job.run(exit: 1)
        #expect(count("/gone.png") == 1 && count("/busy.png") == 2 && count("/a.png") == 1)
        #expect(try await job.nukeBatch("retry", "job.json", "--url", "gone").exit == 1)
        #expect(count("/gone.png") == 2)
        #expect(try await job.nukeBatch("retry", "job.json", "--error", "wrong_type").exit == 1)
        #expect(count("/gone.png") == 2)
        let all = try await job.nukeBatch("retry", "job.json")
        #expect(all.exit == 1 && count("/gone.png") == 3, "\(all.errors)")
    }

    @Test("events: the run's beginning, each item as `items` lists it, the run's end")
    func events() async throws {
        let run = try await job.run("--fresh", "--json", exit: 1)
        let events = try ToldJob.objects(run)
        let kinds = events.compactMap { $0["event"] as? String }.filter { $0 != "host_waiting" }
        #expect(kinds == ["run_started"] + Array(repeating: "item_finished", count: 6) + ["run_finished"])
        #expect(events.first?["items"] as? Int == 6 && events.first?["job"] as? String == "job")
        let told = events.compactMap { $0["item"] as? [String: Any] }.sorted {
            ($0["index"] as? Int ?? 0) < ($1["index"] as? Int ?? 0)
        }
        let listed = try await job.items()
        #expect(told as NSArray == listed as NSArray)
        let end = try #require(events.last)
        let counts = ["exit", "made", "reused", "skipped", "failed"].map { end[$0] as? Int }
        #expect(counts == [1, 3, 0, 1, 2], "\(end)")
    }

    @Test("what waits for its next attempt is in the state retry, and its error is told")
    func waiting() async throws {
        try job.write(
            #""sources": [{"urls": ["\#(server.address)/busy.png"]}], "retry": {"attempts": 2, "backoff": "60s..60s"}"#
        )
        let program = try Program(
            "nuke-batch",
            ["run", "job.json", "--fresh", "--json"],
            in: job.folder.path
        )
        var item: [String: Any] = [:]
        while item["state"] as? String != "retry" { item = try await job.items().first ?? [:] }
        #expect(item["error"] as? String == "http_503" && item["attempts"] as? Int == 1)
        program.signal(SIGTERM)
        #expect(await program.wait().exit == 143)
    }

    @Test("outputs that are gone are made again, unless run is told not to look for them; verify finds them")
    func finished() async throws {
        try FileManager.default.removeItem(atPath: job.folder.path("out/1.png"))
        try await job.run("--skip-check", exit: 1)
        #expect(!job.files().contains("1.png"))
        let verify = try await job.nukeBatch("verify", "job.json")
        #expect(verify.exit == 1 && verify.output.contains("1.png"), "\(verify.output)")
        try await job.run(exit: 1)
        #expect(job.files().contains("1.png"))
    }

    @Test("5 stands above 1: a run that is stopped early says so although items have failed")
    func graver() async throws {
        let run = try await job.run("--fresh", "--limit", "5", exit: 5)
        #expect(run.output.contains("failed; to see them"), "\(run.output)")
    }
}
