import CacheTrials
import Foundation
import TestSupport
import Testing

/// Files that the job has written, but not for the output that finds them: `"existing": "keep"` does not keep them, `prune` does not
/// take them from an output that needs them, and they are never sources.
@Suite(.timeLimit(.minutes(10))) struct OwnFileTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    private func prune() async throws -> Program.Outcome {
        let outcome = try await job.nukeBatch("prune", "job.json", "--delete", "--max-delete", "100%")
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        return outcome
    }

    @Test(
        "a row that gets another id gets its file anew, which prune leaves; a stranger's file in its place stays"
    )
    func anotherID() async throws {
        func write(ids: [String], width: Int) throws {
            let rows = ids.enumerated().map { "\($0 + 1).png,\($1)\n" }
            try job.folder.write("url,id\n" + rows.joined(), to: "list.csv")
            try job.write(
                """
                "sources": [{"list": "list.csv"}], "network": {"fileRoots": ["."]},
                "outputs": [{"processors": [{"resize": {"width": \(width)}}], "format": "png", "path": "{stem}.{ext}",
                    "existing": "keep"}]
                """
            )
        }
        for number in 1...2 {
            try job.folder.write(try TestImages.gradient(width: 20, height: 10), to: "\(number).png")
        }
        try write(ids: ["a", "b"], width: 8)
        try await job.run()
        let first = try job.data("out/1.png")
        try job.folder.write("theirs", to: "out/2.png")
        try write(ids: ["c", "d"], width: 6)
        #expect(try await job.run().output.hasPrefix("1 made, 1 skipped"))
        #expect(try job.data("out/1.png") != first)
        #expect(try job.data("out/2.png") == Data("theirs".utf8))
        let pruned = try await prune()
        #expect(pruned.output.contains("kept: another output has this path now  1.png"), "\(pruned.output)")
        #expect(job.files() == ["1.png", "2.png"])
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("the file of an output that fails later stays until the output is made again, or its item leaves")
    func failed() async throws {
        let outputs = [("plain", ""), ("toned", #", "hdr": "tonemap""#)].map { name, rest in
            """
            {"name": "\(name)", "processors": [{"resize": {"width": 8}}], "format": "png", "path": "\(name)/{stem}.png",
                "existing": "keep"\(rest)}
            """
        }
        let (plain, hdr) = (
            try TestImages.gradient(width: 20, height: 10),
            try Data(
                contentsOf: Repository.root.appendingPathComponent("Tests/ReportedImages/png-cicp-pq.png")
            )
        )
        try job.write(
            #""sources": [{"files": "photos/*"}], "outputs": [\#(outputs.joined(separator: ", "))]"#
        )
        for name in ["a", "b"] { try job.folder.write(plain, to: "photos/\(name).png") }
        try await job.run()
        let made = try job.data("out/plain/a.png")
        try job.folder.write(hdr, to: "photos/a.png")
        try await job.run(exit: 1)
        #expect(try await job.failures() == ["wrong_type"])
        let planned = try await job.plan()["outputs"] as? [String: Any]
        #expect(planned?["prune"] as? Int == 0)
        #expect(try await prune().output == "nothing to remove\n")
        #expect(try job.data("out/plain/a.png") == made)

        try job.folder.write(try TestImages.gradient(width: 10, height: 20), to: "photos/a.png")
        #expect(try await job.run().output.hasPrefix("2 made"))
        #expect(try job.data("out/plain/a.png") != made)
        #expect(try await prune().output == "nothing to remove\n")

        try job.folder.write(hdr, to: "photos/a.png")
        try await job.run(exit: 1)
        try FileManager.default.removeItem(atPath: job.folder.path("photos/a.png"))
        try await job.run()
        _ = try await prune()
        #expect(job.files() == ["plain/b.png", "toned/b.png"])
    }

    @Test("what a killed run wrote among its sources is neither a source nor a stranger's file")
    func killed() async throws {
        let library = try Faults.build(in: job.folder.path)
        let names = (10..<22).map { "\($0)" }
        var unrecorded = 0
        for round in [2, 4, 6, 8, 10, 12] {
            let folder = "photos-\(round)"
            for name in names {
                try job.folder.write(
                    try TestImages.gradient(width: 20, height: 10),
                    to: "\(folder)/\(name).png"
                )
            }
            let line = [
                "resize", folder, "-o", folder, "--width", "8", "--format", "jpeg", "--progress", "none",
            ]
            // It dies before it names this file.
            let faults = [
                "LD_PRELOAD": library, "NB_FAIL": "link", "NB_FAIL_PATH": ".jpg", "NB_FAIL_AT": "\(round)",
            ]
            let killed = try await Program.run("nuke-batch", line, in: job.folder.path, environment: faults)
            #expect(killed.exit == 128 + SIGKILL, "\(killed.output)\(killed.errors)")
            let left = job.files(in: folder).count { $0.hasSuffix(".jpg") }
            let manifest = "\(folder)/.nuke-batch/job.json"
            let items = try ToldJob.objects(
                try await job.nukeBatch("items", manifest, "--state", "done", "--json")
            )
            unrecorded += left - items.count

            let second = try await Program.run("nuke-batch", line, in: job.folder.path)
            #expect(second.exit == 0, "\(second.output)\(second.errors)")
            #expect(second.output.contains("12 of 12 items done"), "\(second.output)")
            #expect(!second.output.contains("skipped"), "\(second.output)")
            let files = job.files(in: folder).filter { !$0.hasPrefix(".nuke-batch/") }
            #expect(files == names.flatMap { ["\($0).jpg", "\($0).png"] })
            #expect(
                try await job.nukeBatch("verify", manifest).output.hasPrefix("12 outputs checked, 0 damaged")
            )
        }
        #expect(unrecorded > 0, "some file was named before its record")
    }
}
