import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// A program that does not run for a while, as on a machine that is suspended.
@Suite(.timeLimit(.minutes(10))) struct StandstillTests {
    @Test("a transfer outlives a standstill that is longer than its time limit")
    func transfer() async throws {
        let (answer, asked) = (Gate(), Gate())
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in
            asked.open()
            answer.wait()
            return .data(picture, type: "image/png")
        }
        let job = try JobFolder()
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/a.png"]}], "outputs": [{"format": "png"}],
            "loading": {"timeout": "5s"}, "retry": {"attempts": 1}
            """
        )
        let run = try Program("nuke-batch", ["run", "job.json"], in: job.folder.path)
        await asked.waitUntilOpen()
        run.signal(SIGSTOP)
        _ = try await Program(path: "/bin/sleep", ["7"], in: "/").wait()
        run.signal(SIGCONT)
        answer.open()
        let outcome = await run.wait()
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test("a fleet's worker outlives the thread that started it")
    func worker() async throws {
        let answer = Gate()
        let picture = try TestImages.tiny(1)
        let origin = try LoopbackServer { _ in
            answer.wait()
            return .data(picture, type: "image/png")
        }
        let fleet = try FleetFolder(2, origin: origin)
        #expect(try await fleet.plan(2) == 1)
        let (folder, store) = (fleet.job.folder.path, fleet.store)
        let started = Mutex<Result<Program, any Error>?>(nil)
        let thread = Thread {
            let worker = Result {
                try Program(
                    "nuke-batch",
                    [
                        "fleet", "work", "--partition", "0", "--store", store, "--scratch",
                        "\(folder)/scratch",
                    ],
                    in: folder
                )
            }
            started.withLock { $0 = worker }
        }
        thread.start()
        try await eventually { thread.isFinished }
        answer.open()
        let worker = try #require(started.withLock { $0 }).get()
        let outcome = await worker.wait()
        #expect(outcome.exit == 0, "\(outcome.exit) \(outcome.errors)")
    }
}
