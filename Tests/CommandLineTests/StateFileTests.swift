import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The location of the state, the independence of jobs, and the conditions that prevent a run.
@Suite(.timeLimit(.minutes(10))) struct StateFileTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    @Test(
        "the state is named after the manifest's file, its lock beside it; jobs of one folder run side by side"
    )
    func places() async throws {
        let held = Asked()
        let picture = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            if request.path == "/slow" { held.waitForEnd() }
            return .data(picture)
        }
        try job.write(#""sources": [{"urls": ["\#(server.address)/slow"]}]"#, to: "jobs/one.json")
        try job.write(#""sources": [{"urls": ["\#(server.address)/quick"]}]"#, to: "jobs/two.json")
        let first = try Program("nuke-batch", ["run", "jobs/one.json"], in: job.folder.path)
        _ = await server.requests(atLeast: 1)
        let second = try await job.nukeBatch("run", "jobs/two.json")
        #expect(second.exit == 0, "\(second.errors)")
        let blocked = try await job.nukeBatch("run", "jobs/one.json", "--json")
        #expect(blocked.exit == 3 && blocked.output.isEmpty)
        #expect(blocked.errors.contains("\(first.processIdentifier)"), "\(blocked.errors)")
        // Others may look at it meanwhile.
        let rows = try await Program(
            path: "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3; print(sqlite3.connect('jobs/.nuke-batch/one.sqlite').execute('SELECT state FROM item').fetchall())",
            ],
            in: job.folder.path
        ).wait()
        #expect(
            rows.output == "[('running',)]\n" || rows.output == "[('pending',)]\n",
            "\(rows.output)\(rows.errors)"
        )
        held.end()
        #expect(await first.wait().exit == 0)
        let files = job.files(in: "jobs/.nuke-batch")
        for name in ["one.sqlite", "one.lock", "two.sqlite", "two.lock"] {
            #expect(files.contains(name), "\(files)")
        }
    }

    @Test(
        "a folder that cannot be written is exit 4 with a hint",
        arguments: ["run", "warm", "retry"]
    )
    func notWritable(command: String) async throws {
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"urls": ["a.png"]}]"#)
        // A file in the folder's place stops every user, root too.
        try job.folder.write("", to: ".nuke-batch")
        let refused = try await job.nukeBatch(command, "job.json")
        // A retry reads the state before it writes to it.
        let remedy = command == "retry" ? "a file stands where a folder is needed" : "--state-file FILE"
        #expect(refused.exit == 4 && refused.errors.contains(remedy), "\(refused.errors)")
        let moved = try await job.nukeBatch(command, "job.json", "--state-file", "states/job.sqlite")
        #expect(moved.exit == 0, "\(moved.errors)")
        #expect(job.files(in: "states").contains("job.sqlite"))
    }

    @Test("a folder in the place of the state is refused, and --fresh removes nothing from it")
    func folderInPlace() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"urls": ["a.png"]}]"#)
        for name in ["states", "other-wal"] { try job.folder.write("mine", to: "\(name)/deep/file") }
        for words in [["--fresh"], []] {
            let refused = try await Program.run(
                "nuke-batch",
                ["run", "job.json", "--state-file", "states"] + words,
                in: job.folder.path
            )
            #expect(refused.exit == 4 && refused.errors.contains("/states"), "\(refused.errors)")
        }
        _ = try await job.nukeBatch("run", "job.json", "--state-file", "other", "--fresh")
        for name in ["states", "other-wal"] {
            #expect(try job.data("\(name)/deep/file") == Data("mine".utf8))
        }
    }

    @Test("a destination that cannot be written is exit 4, and the item is not to blame")
    func destination() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"urls": ["a.png"]}], "outputs": [{"path": "{stem}.{ext}"}]"#)
        try job.folder.write("", to: "out")
        let refused = try await job.run(exit: 4)
        #expect((refused.output + refused.errors).contains("/out"), "\(refused.output)\(refused.errors)")
        try FileManager.default.removeItem(atPath: job.folder.path("out"))
        #expect(try await job.run().output.hasPrefix("1 made"))
    }

    /// A file system of 256 kB, which a user may mount in a namespace of his own where the kernel lets him.
    @Test("a full disk is exit 4, names what to do and fails no item; with room again the run goes on")
    func fullDisk() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let server = try LoopbackServer { _ in .data(photo) }
        let urls = (0..<5).map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        try job.write(
            #""sources": [{"urls": [\#(urls)]}], "outputs": [{"format": "original", "path": "{index}.jpg"}]"#
        )
        try FileManager.default.createDirectory(
            atPath: job.folder.path("small"),
            withIntermediateDirectories: true
        )
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let script = """
            mount -t tmpfs -o size=256k none small || exit 77
            \(program) run job.json --destination small/out; echo "exit $?"; ls small/out | wc -l
            """
        let outcome = try await Program(
            path: "/usr/bin/env",
            ["unshare", "-Ur", "-m", "sh", "-c", script],
            in: job.folder.path
        ).wait()
        // Without user namespaces (exit 1 of unshare) it cannot be tried here.
        guard outcome.output.contains("exit ") else { return }
        #expect(outcome.output.contains("exit 4"), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("free some space"), "\(outcome.output)\(outcome.errors)")
        let states = try await job.items().map { $0["state"] as? String }
        #expect(states.count { $0 == "failed" } == 0 && states.count { $0 == "done" } <= 2, "\(states)")
        try await job.run("--destination", "large")
        #expect(try await job.items().allSatisfy { $0["state"] as? String == "done" })
    }
}
