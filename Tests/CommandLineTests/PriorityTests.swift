import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// `retry --priority`: waiting items change places, also while a run is going on.
@Suite(.timeLimit(.minutes(10))) struct PriorityTests {
    private static func job(
        _ folder: TemporaryFolder,
        _ server: LoopbackServer,
        items: Int,
        rate: Int = 1000
    ) throws {
        let urls = (0..<items).map { "\"\(server.address)/\($0 == items - 1 ? "last" : "\($0)").png\"" }
        try folder.write(
            """
            {"sources": [{"urls": [\(urls.joined(separator: ", "))]}], "cache": {"directory": "cache"},
             "loading": {"perHost": 1, "rate": "\(rate)/s"}, "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
    }

    private static func nukeBatch(_ words: String..., in folder: TemporaryFolder) async throws
        -> Program.Outcome
    {
        try await Program.run("nuke-batch", words, in: folder.path)
    }

    @Test(
        "a run that is going on takes the new priority over, and the item is asked for before the others that wait"
    )
    func whileRunning() async throws {
        let photo = try TestImages.tiny(1)
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            gate.wait()
            return .data(photo, type: "image/png")
        }
        let folder = try TemporaryFolder()
        try Self.job(folder, server, items: 200)
        let program = try Program("nuke-batch", ["warm", "job.json"], in: folder.path)
        _ = await server.requests(atLeast: 1)
        let retry = try await Self.nukeBatch(
            "retry",
            "job.json",
            "--priority",
            "veryHigh",
            "--url",
            "last.png",
            in: folder
        )
        #expect(retry.exit == 0 && retry.errors.contains("asked"), "\(retry.output)\(retry.errors)")
        let state = try Connection(path: folder.path(".nuke-batch/job.sqlite"), mode: .readOnly)
        try await eventually { try state.integer("SELECT count(*) FROM item WHERE priority = 4") != 0 }
        for _ in 0..<200 { gate.signal() }
        #expect(await program.wait().exit == 0)
        let place = try #require(server.requests.firstIndex { $0.path == "/last.png" })
        // Behind what was in flight already: of one host that is never the whole list.
        #expect(place < 150, "\(place)")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(".nuke-batch"))
        #expect(!left.contains { $0.contains("priority") }, "\(left)")
    }

    @Test("without a run the state is changed at once, and a run begins")
    func withoutRun() async throws {
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in .data(photo, type: "image/png") }
        let folder = try TemporaryFolder()
        try Self.job(folder, server, items: 200, rate: 200)
        #expect(try await Self.nukeBatch("warm", "job.json", "--limit", "1", in: folder).exit == 5)
        let retry = try await Self.nukeBatch(
            "retry",
            "job.json",
            "--priority",
            "high",
            "--url",
            "last.png",
            in: folder
        )
        #expect(retry.exit == 0 && retry.errors.contains("1 item changed to high"), "\(retry.errors)")
        // Some of those that were claimed with it may reach the host's line before it, but not the whole list.
        let place = try #require(server.requests.firstIndex { $0.path == "/last.png" })
        #expect(place < 100, "\(place)")
        let bad = try await Self.nukeBatch("retry", "job.json", "--priority", "urgent", in: folder)
        #expect(bad.exit == 2 && bad.errors.contains("veryLow, low, normal, high, veryHigh"), "\(bad.errors)")
    }

    @Test("a file that is no request is removed and named")
    func nonsense() async throws {
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in .data(photo, type: "image/png") }
        let folder = try TemporaryFolder()
        try Self.job(folder, server, items: 2)
        #expect(try await Self.nukeBatch("warm", "job.json", "--limit", "1", in: folder).exit == 5)
        let path = try folder.write("nonsense", to: ".nuke-batch/job.priority-1-1")
        let run = try await Self.nukeBatch("warm", "job.json", in: folder)
        #expect(run.exit == 0 && run.output.contains("job.priority-1-1 is no request"), "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
