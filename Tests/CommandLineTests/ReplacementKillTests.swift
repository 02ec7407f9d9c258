import CacheTrials
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Promise P3 where outputs replace files: a kill leaves temporary names only until the next run.
@Suite(.timeLimit(.minutes(10))) struct ReplacementKillTests {
    private let job: JobFolder
    private let server: LoopbackServer
    private let library: String

    init() throws {
        job = try JobFolder()
        server = try .tinyPictures()
        library = try Faults.build(in: job.folder.path)
        for number in 1...3 { try job.folder.write("old", to: "out/small/\(number).png") }
    }

    private func write(items: Int) throws {
        let urls = (1...items).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}],
            "outputs": [{"name": "small", "format": "png", "path": "small/{stem}.{ext}"}]
            """
        )
    }

    private func run(_ faults: [String: String]) async throws -> Program.Outcome {
        let faults = faults.merging(["LD_PRELOAD": library]) { $1 }
        return try await job.nukeBatch("run", "job.json", environment: faults)
    }

    @Test("a kill between link and rename leaves nothing after the next run, even if it makes other names")
    func betweenLinkAndRename() async throws {
        try write(items: 3)
        let killed = try await run(["NB_FAIL": "rename", "NB_FAIL_PATH": job.folder.path("out/small")])
        #expect(killed.exit == 128 + SIGKILL, "\(killed.output)\(killed.errors)")
        let left = job.files().filter { !$0.hasPrefix("small/") }
        #expect(left.count >= 2 && left.allSatisfy { $0.hasPrefix(".nuke-batch-writing/") }, "\(left)")
        #expect(job.files().filter { $0.hasPrefix("small/") }.count == 3)
        try write(items: 1)
        try await job.run()
        #expect(job.files() == ["small/1.png", "small/2.png", "small/3.png"])
        #expect(try job.data("out/small/1.png") != Data("old".utf8))
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("out/.nuke-batch-writing")))
    }

    @Test(
        "wherever a run is killed, every file is old or new, and nothing else stays",
        arguments: [false, true]
    )
    func everywhere(hasUnnamedFiles: Bool) async throws {
        try write(items: 3)
        // Without unnamed files, the first name of every file is a temporary one.
        let faults =
            hasUnnamedFiles
            ? [:]
            : [
                "NB_FAIL": "create unnamed", "NB_FAIL_PATH": job.folder.path("out"),
                "NB_ERRNO": "\(EOPNOTSUPP)", "NB_FAIL_COUNT": "1000000",
            ]
        let new = try await remakeAll(faults)
        var (call, exit) = (1, Int32(1))
        // The bound ends a test whose runs never end well.
        while exit != 0, call < 10_000 {
            for number in 1...3 { try job.folder.write("old", to: "out/small/\(number).png") }
            exit = try await run(faults.merging(["NB_KILL_AT": "\(call)"]) { $1 }, fresh: true)
            #expect(exit == 0 || exit == 128 + SIGKILL)
            for (number, bytes) in new.enumerated() {
                let found = try job.data("out/small/\(number + 1).png")
                #expect(found == Data("old".utf8) || found == bytes, "call \(call)")
            }
            #expect(try await run(faults).exit == 0, "call \(call)")
            #expect(job.files() == ["small/1.png", "small/2.png", "small/3.png"], "call \(call)")
            #expect(!FileManager.default.fileExists(atPath: job.folder.path("out/.nuke-batch-writing")))
            call += 29
        }
        #expect(call > 100, "it was killed at some calls")
    }

    /// Makes all outputs and returns their bytes.
    private func remakeAll(_ faults: [String: String]) async throws -> [Data] {
        #expect(try await run(faults, fresh: true) == 0)
        #expect(job.files() == ["small/1.png", "small/2.png", "small/3.png"])
        return try (1...3).map { try job.data("out/small/\($0).png") }
    }

    private func run(_ faults: [String: String], fresh: Bool) async throws -> Int32 {
        let faults = faults.merging(["LD_PRELOAD": library]) { $1 }
        let words = ["run", "job.json"] + (fresh ? ["--fresh"] : [])
        return try await Program.run("nuke-batch", words, in: job.folder.path, environment: faults).exit
    }
}
