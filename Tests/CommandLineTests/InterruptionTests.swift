import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// Promise P5: a signal stops a run within five seconds, and the next run goes on from there.
@Suite(.timeLimit(.minutes(10))) struct InterruptionTests {
    @Test(
        "a signal ends a run that waits for its servers, and the next run does the rest",
        arguments: [SIGINT: 130, SIGTERM: 143, SIGHUP: 129] as [Int32: Int32]
    )
    func signals(number: Int32, exit: Int32) async throws {
        let photo = try Repository.photo("rocket.jpg")
        let held = Asked()
        let server = try LoopbackServer { request in
            if request.path.hasPrefix("/slow") { held.waitForEnd() }
            return LoopbackServer.Response(body: .data(photo))
        }
        let folder = try TemporaryFolder()
        let paths = ["fast-1", "fast-2", "slow-1", "slow-2", "slow-3"]
        let urls = paths.map { "\"\(server.address)/\($0).jpg\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "outputs": [{"processors": [{"resize": {"width": 100}}], "format": "jpeg"}],
             "loading": {"perHost": 8, "rate": "1000/s", "burst": 10}}
            """,
            to: "job.json"
        )
        let finished = DispatchSemaphore(value: 0)
        // A test that was itself started by `nohup` or in the background would hand an ignored signal down.
        let binary = Program.folder.appendingPathComponent("nuke-batch").path
        let program = try Program(
            path: "/usr/bin/env",
            ["--default-signal=INT,TERM,HUP", binary, "run", "job.json", "--json"],
            in: folder.path
        ) { line in
            if line.contains("item_finished") { finished.signal() }
        }
        _ = await server.requests(atLeast: paths.count)
        await Self.wait(for: finished, count: 2)

        program.signal(number)
        let deadline = try Deadline(seconds: 5)
        let outcome = await program.wait()
        #expect(await deadline.isMet())
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.errors)")
        held.end()

        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--csv"], in: folder.path)
        #expect(listing.lines.count { $0.contains("done") } == 2, "\(listing.output)")
        let rest = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(rest.exit == 0)
        #expect(rest.output.hasPrefix("3 made"), "\(rest.output)")
        #expect(server.requests.count { $0.path.hasPrefix("/fast") } == 2)
    }

    @Test("a second signal ends a run at once that has something to finish")
    func second() async throws {
        let job = try PoisonedJob(images: 3)
        let program = try job.start("spin")
        try await eventually { try !job.deaths().isEmpty }
        // Of different numbers, as equal ones would be one while they wait.
        program.signal(SIGINT)
        program.signal(SIGTERM)
        #expect([130, 143].contains(await program.wait().exit))
        // With one alone the run would have finished what it had begun, and written down its end.
        let state = try Connection(path: job.folder.path(".nuke-batch/job.sqlite"), mode: .readOnly)
        #expect(try state.integer("SELECT count(*) FROM run WHERE ended_ms IS NULL") == 1)
    }

    /// A run under `nohup` is to outlive its terminal.
    @Test("a hang-up that was ignored before the run stays ignored")
    func nohup() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let held = Asked()
        let server = try LoopbackServer { _ in
            held.waitForEnd()
            return LoopbackServer.Response(body: .data(photo))
        }
        let folder = try TemporaryFolder()
        try folder.write(
            #"{"sources": [{"urls": ["\#(server.address)/a.jpg"]}], "cache": {"directory": "c"}, "network": {"allow": ["127.0.0.1"]}}"#,
            to: "job.json"
        )
        let binary = Program.folder.appendingPathComponent("nuke-batch").path
        let program = try Program(
            path: "/bin/sh",
            ["-c", "trap '' HUP; exec \"$0\" run job.json", binary],
            in: folder.path
        )
        _ = await server.requests(atLeast: 1)
        program.signal(SIGHUP)
        held.end()
        #expect(await program.wait().exit == 0)
    }

    private static func wait(for semaphore: DispatchSemaphore, count: Int) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<count { semaphore.wait() }
                continuation.resume()
            }
        }
    }
}
