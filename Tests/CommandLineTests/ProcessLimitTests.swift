import CacheTrials
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Limits of the system that are too low for a run: it ends with a message, or works within them.
@Suite(.timeLimit(.minutes(10))) struct ProcessLimitTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer.tinyPictures()
        let urls = (0..<200).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}], "outputs": [{"format": "png"}],
            "loading": {"rate": "9999/s", "burst": 999, "perHost": 16}
            """
        )
    }

    /// Runs the job from a shell that sets limits first.
    private func run(_ limits: String) async throws -> Program.Outcome {
        try await Program(
            path: "/bin/sh",
            [
                "-c", #"\#(limits) && exec "$0" run job.json"#,
                Program.folder.appendingPathComponent("nuke-batch").path,
            ],
            in: job.folder.path
        ).wait()
    }

    @Test("without room for its threads a run is refused, not waited for", arguments: [0, 4, 24])
    func threads(most: Int) async throws {
        let outcome = try await job.nukeBatch(
            "run",
            "job.json",
            environment: [
                "LD_PRELOAD": Faults.build("threads", in: job.folder.path), "NB_THREADS": "\(most)",
            ]
        )
        #expect(outcome.exit == 4, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("threads that are needed: raise the limits of processes"))
        #expect(server.requests.isEmpty)
    }

    @Test(
        "with few descriptors a run is slower, below the least it is refused",
        arguments: [24, 63, 64, 128]
    )
    func descriptors(most: Int) async throws {
        let outcome = try await run("ulimit -n \(most)")
        #expect(outcome.exit == (most < 64 ? 4 : 0), "\(outcome.output)\(outcome.errors)")
        if most < 64 {
            #expect(outcome.errors.contains("the limit of open files is \(most), and at least 64 are needed"))
        } else {
            #expect(outcome.output.contains("200 of 200 items done"))
        }
    }

    @Test("a low limit is raised as far as the system allows")
    func raised() async throws {
        let outcome = try await run("ulimit -S -n 32")
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
    }

    // A sanitizer needs more address space than any run.
    @Test(
        "without room for its memory a run is refused",
        .enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil)
    )
    func addressSpace() async throws {
        let outcome = try await run("ulimit -v 1300000")
        #expect(outcome.exit == 4, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("raise it (ulimit -v), or lower limits.memory"))
    }
}
