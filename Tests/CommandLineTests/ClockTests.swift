import CacheTrials
import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// A wall clock that is set while a run is going on.
@Suite(.timeLimit(.minutes(10))) struct ClockTests {
    @Test("a clock that is set back by an hour while an item waits does not delay it")
    func setBack() async throws {
        let job = try JobFolder()
        let picture = try TestImages.tiny(1)
        let count = Mutex(0)
        let server = try LoopbackServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .status(503, headers: [("Retry-After", "3")]) : .data(picture)
        }
        try job.write(#""sources": [{"urls": ["\#(server.address)/a.png"]}]"#)
        // An hour fast at first.
        try job.folder.write("3600", to: "shift")
        let program = try Program(
            "nuke-batch",
            ["run", "job.json", "--max-duration", "5m"],
            in: job.folder.path,
            environment: [
                "LD_PRELOAD": Faults.build("clock", in: job.folder.path),
                "NB_CLOCK": job.folder.path("shift"),
            ]
        )
        let state = job.folder.path(".nuke-batch/job.sqlite")
        try await eventually {
            let reader = try? Connection(path: state, mode: .readOnly)
            return try reader?.integer("SELECT count(*) FROM item WHERE state IN ('retry', 'done')") == 1
        }
        try job.folder.write("0", to: "shift")
        let outcome = await program.wait()
        #expect(outcome.exit == 0, "5 if it waited for the time limit: \(outcome.output)\(outcome.errors)")
        #expect(server.requests.count == 2)
    }
}
