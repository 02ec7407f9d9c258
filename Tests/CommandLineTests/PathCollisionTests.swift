import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Paths that meet, and paths that would lead out of the destination.
@Suite(.timeLimit(.minutes(10))) struct PathCollisionTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer.tinyPictures()
    }

    @Test(
        "two items with one path are found before anything is loaded, with both rows; in another case it is a warning"
    )
    func collisions() async throws {
        let lines = ["a/1.png", "b/1.png", "c/1.png"].map { "\(server.address)/\($0)\n" }
        try job.folder.write(lines.joined(), to: "urls.txt")
        func write(_ path: String, _ policy: String = "error") throws {
            let output = #"{"path": "\#(path)", "format": "png", "onCollision": "\#(policy)"}"#
            try job.write(#""sources": [{"list": "urls.txt"}], "outputs": [\#(output)]"#)
        }
        try write("{stem}.{ext}")
        for command in ["plan", "run"] {
            let refused = try await job.nukeBatch(command, "job.json")
            #expect(refused.exit == 2)
            let expected = ["urls.txt:1 and urls.txt:2 would both", "urls.txt:1 and urls.txt:3 would both"]
            #expect(expected.allSatisfy(refused.errors.contains), "\(refused.errors)")
            #expect(!refused.errors.contains("\\u{"), "\(refused.errors)")
        }
        #expect(server.requests.isEmpty && job.files().isEmpty)

        try write("{stem}.{ext}", "fail")
        let failed = try await job.run(exit: 1)
        #expect(failed.output.contains("2 outputs failed as collision"), "\(failed.output)")
        #expect(try await job.errors() == ["-", "collision", "collision"])
        #expect(job.files() == ["1.png"] && server.requests.count == 1, "the others are not loaded")
        let second = try #require(try await job.items().dropFirst().first?["message"] as? String)
        #expect(second.contains("urls.txt:1 and urls.txt:2 would both write 1.png"), "\(second)")

        try write("{stem}.{ext}", "first")
        let skipped = try await job.run()
        #expect(skipped.output.contains("2 skipped"), "\(skipped.output)")
        let reasons = try await job.items().map { $0["message"] as? String ?? "" }
        #expect(reasons == ["", "path taken by urls.txt:1", "path taken by urls.txt:1"])
        #expect(server.requests.count == 1)

        // Without the first row, the second one gets the path, and writes its own bytes.
        try job.folder.write(lines.dropFirst().joined(), to: "urls.txt")
        try await job.run()
        #expect(try await job.items().map { $0["state"] as? String } == ["done", "skipped"])
        #expect(server.requests.count == 2 && job.files() == ["1.png"])
        try FileManager.default.removeItem(atPath: job.folder.path("out"))
        try job.folder.write("\(server.address)/X/1.png\n\(server.address)/x/1.png\n", to: "urls.txt")
        try write("{dir}-{stem}.{ext}")
        let run = try await job.run()
        #expect(
            run.output.contains("warning: urls.txt:1 and urls.txt:2 write paths that differ only in case")
        )
        #expect(job.files() == ["X-1.png", "x-1.png"])
    }

    @Test("a path that is known when planning does not take another output's that is known only later")
    func plannedAndLate() async throws {
        let kept = #""name": "as it is", "format": "original""#
        let padded = #""format": "png", "processors": [{"pad": {"width": 9, "height": 99}}]"#
        let both = [kept, padded].map { #"{\#($0), "path": "{stem}.{ext}"}"# }
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.png"]}],
            "outputs": [\(both.joined(separator: ", "))]
            """
        )
        let run = try await job.run(exit: 1)
        #expect(run.output.contains("collision"), "\(run.output)")
        #expect(job.files() == ["1.png"])
        let verified = try await job.nukeBatch("verify", "job.json")
        #expect(verified.exit == 0, "\(verified.output)")
    }

    @Test("rows of standard input are compared as those of a file are")
    func standardInput() async throws {
        let rows = ["a/1.png", "b/1.png", "2.png"].map { "\(server.address)/\($0)\n" }.joined()
        func write(_ policy: String) throws {
            let output = #"{"path": "{stem}.{ext}", "format": "png", "onCollision": "\#(policy)"}"#
            try job.write(#""sources": [{"list": "-", "as": "txt"}], "outputs": [\#(output)]"#)
        }
        try write("error")
        let refused = try await job.nukeBatch("run", "job.json", input: rows)
        #expect(refused.exit == 2 && refused.errors.contains("stdin:1 and stdin:2 would both write 1.png"))
        try write("first")
        let run = try await job.nukeBatch("run", "job.json", input: rows)
        #expect(run.exit == 0 && run.output.contains("1 output skipped"), "\(run.output)\(run.errors)")
        #expect(job.files() == ["1.png", "2.png"])
        #expect(job.files(in: ".nuke-batch").allSatisfy { $0.hasPrefix("job.") })
    }

    @Test("where a path is known only later, equal bytes share the file, and different ones are a collision")
    func lateCollisions() async throws {
        let urls = ["a/1.png", "b/1.png", "2.png"].map { "\"\(server.address)/\($0)\"" }
        try job.writeCopies(urls, path: "{width}.{ext}")
        try await job.run(exit: 1)
        let errors = try await job.errors()
        #expect(errors.count { $0 == "collision" } >= 1 && errors.count { $0 == "-" } >= 1, "\(errors)")
        #expect(job.files() == ["4.png"])
        try job.writeCopies(urls, path: "{hash}.{ext}")
        try await job.run("--destination", "shared")
        #expect(job.files(in: "shared").count == 2)
        #expect(try await job.items().allSatisfy { $0["state"] as? String == "done" })
    }

    @Test(
        "a later item does not write over what an earlier run has made, nor an output over another of its item"
    )
    func lateCollisionsOfOtherRuns() async throws {
        let urls = ["a/1.png", "2.png"].map { "\"\(server.address)/\($0)\"" }
        try job.writeCopies([urls[0]], path: "{width}.{ext}")
        try await job.run()
        let first = try job.data("out/4.png")
        try job.writeCopies(urls, path: "{width}.{ext}")
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["-", "collision"])
        #expect(try job.data("out/4.png") == first)
        // Nothing keeps the second from it once the first is gone from the list.
        try job.writeCopies([urls[1]], path: "{width}.{ext}")
        #expect(try await job.nukeBatch("retry", "job.json").exit == 0)
        #expect(try job.data("out/4.png") != first)

        let square = #"{"resize": {"width": 4, "height": 4, "contentMode": "fill", "upscale": true}}"#
        try job.write(
            """
            "sources": [{"urls": [\(urls[0])]}], "destination": "two", "outputs": [
              {"name": "one", "path": "{width}.{ext}", "format": "png", "processors": [\(square)]},
              {"name": "other", "path": "{height}.{ext}", "format": "png", "processors": [\(square), {"adjust": {"brightness": 0.5}}]}]
            """
        )
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["collision"])
        #expect(job.files(in: "two") == ["4.png"])
    }

    @Test(
        "a path that would leave the destination is an error",
        arguments: ["../x.png", "a/../../x.png", "/x.png", "{id}/..", "{id", ""]
    )
    func leaving(path: String) async throws {
        try job.writeCopies(["\"a.png\""], path: path)
        let wrong = try await job.nukeBatch("validate", "job.json")
        #expect(wrong.exit == 2 && wrong.output.contains("outputs[0].path: "), "\(wrong.output)")
    }
}
