import CacheTrials
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Promise P8 at the state: a disk that is full from any write on ends a run with 4, and leaves a state that goes on.
@Suite(.timeLimit(.minutes(10))) struct StateFaultTests {
    @Test("from each of the first writes of a new state on, none succeeds; with room the job is finished")
    func fullDisk() async throws {
        let job = try JobFolder()
        let server = try LoopbackServer.tinyPictures()
        let library = try Faults.build(in: job.folder.path)
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.png", "\(server.address)/2.png"]}],
            "outputs": [{"format": "original", "path": "{stem}.{ext}"}]
            """
        )
        let state = job.folder.path(".nuke-batch")
        var exits: Set<Int32> = []
        for number in [Int](1...60) + [80, 100, 120, 1000] {
            for folder in [state, job.folder.path("out")] {
                try? FileManager.default.removeItem(atPath: folder)
            }
            let full = try await job.nukeBatch(
                "run",
                "job.json",
                environment: [
                    "LD_PRELOAD": library, "NB_FAIL": "pwrite", "NB_ERRNO": "\(ENOSPC)",
                    "NB_FAIL_AT": "\(number)", "NB_FAIL_COUNT": "1000000", "NB_FAIL_PATH": state,
                ]
            )
            exits.insert(full.exit)
            #expect([0, 4].contains(full.exit), "write \(number): \(full.output)\(full.errors)")
            let said = full.output + full.errors
            #expect(full.exit == 0 || said.contains("disk is full") || said.contains("No space"), "\(said)")
            try await job.run()
            #expect(job.files() == ["1.png", "2.png"], "write \(number)")
            #expect(!job.files(in: ".nuke-batch").contains { $0.contains(".new") })
        }
        // The last of them come after the end of the run.
        #expect(exits == [0, 4])
    }
}
