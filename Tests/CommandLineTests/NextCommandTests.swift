import Foundation
import TestSupport
import Testing

/// The commands that a result advises are about the same job, and a shell can run them as they are.
@Suite(.timeLimit(.minutes(10))) struct NextCommandTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        try job.write(
            #""sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}]"#,
            to: "a job.json"
        )
    }

    @Test("a run that stopped early is continued with its own command and state", arguments: ["run", "warm"])
    func resume(command: String) async throws {
        let first = try await job.nukeBatch(
            command,
            "a job.json",
            "--limit",
            "1",
            "--state-file",
            "elsewhere/x.sqlite",
            "--cache",
            "c"
        )
        #expect(first.exit == 5)
        let next = try job.advice("to continue: ", in: first)
        #expect(next == "nuke-batch \(command) 'a job.json' --state-file elsewhere/x.sqlite --cache c")
        let second = try await job.shell(next)
        #expect(second.exit == 0 && second.output.contains("3 of 3 items done"), "\(second.output)")
    }

    @Test("failed items are listed and tried again in the state of the run")
    func failures() async throws {
        try job.folder.write(Data("no image".utf8), to: "1.png")
        let run = try await job.nukeBatch("run", "a job.json", "--shard", "1/1", "--destination", "o p")
        #expect(run.exit == 1)
        let listed = try await job.shell(try job.advice("to see them: ", in: run))
        #expect(
            listed.lines.count == 1 && listed.output.contains("1.png"),
            "\(listed.output)\(listed.errors)"
        )
        let retry = try job.advice("to try them again: ", in: run)
        #expect(retry == "nuke-batch retry 'a job.json' --destination 'o p' --shard 1/1")
        try job.folder.write(try TestImages.tiny(1), to: "1.png")
        #expect(try await job.shell(retry).exit == 0)
        #expect(job.files(in: "o p") == ["0.png", "1.png", "2.png"])
    }

    @Test("what explain advises is about the state that it was asked of")
    func explained() async throws {
        try job.folder.write(Data("no image".utf8), to: "1.png")
        #expect(try await job.nukeBatch("run", "a job.json", "--state-file", "s p.sqlite").exit == 1)
        let words = ["explain", "a job.json", "1.png", "--state-file", "s p.sqlite"]
        let explained = try await Program.run("nuke-batch", words, in: job.folder.path)
        let command = try #require(explained.lines.first { $0.contains("nuke-batch retry") })
        #expect(command.contains("--state-file 's p.sqlite' --url"), "\(explained.output)")
    }

    @Test("orphaned and damaged outputs are removed and remade where they are")
    func maintenance() async throws {
        #expect(try await job.nukeBatch("run", "a job.json", "--destination", "o p").exit == 0)
        try job.folder.write("x", to: "o p/0.png")
        let verify = try await job.nukeBatch("verify", "a job.json", "--destination", "o p")
        #expect(verify.exit == 1 && verify.output.contains("3 outputs checked, 1 damaged"))
        #expect(try await job.shell(try job.advice("to repair them: ", in: verify)).exit == 0)
        try FileManager.default.removeItem(atPath: job.folder.path("2.png"))
        #expect(try await job.nukeBatch("run", "a job.json", "--destination", "o p").exit == 0)
        let prune = try await job.nukeBatch("prune", "a job.json", "--destination", "o p")
        #expect(try await job.shell(try job.advice("to remove them: ", in: prune)).exit == 0)
        #expect(job.files(in: "o p") == ["0.png", "1.png"])
    }

    @Test("a retry of nothing runs nothing, and says so")
    func retryOfNothing() async throws {
        try job.folder.write(Data("no image".utf8), to: "1.png")
        #expect(try await job.nukeBatch("run", "a job.json").exit == 1)
        let retry = try await job.nukeBatch("retry", "a job.json", "--url", "nowhere")
        #expect(retry.exit == 1 && retry.output.isEmpty, "one item is failed: \(retry.output)")
        #expect(retry.errors.contains("0 items requeued") && retry.errors.contains("nothing was run"))
        #expect(try await job.nukeBatch("status", "a job.json").output.contains("run 2 ") == false)
        try job.folder.write(try TestImages.tiny(1), to: "1.png")
        #expect(try await job.nukeBatch("run", "a job.json").exit == 0)
        #expect(try await job.nukeBatch("retry", "a job.json", "--url", "nowhere").exit == 0)
        try job.folder.write(try TestImages.tiny(4), to: "4.png")
        try job.folder.write(try TestImages.tiny(5), to: "5.png")
        #expect(try await job.nukeBatch("run", "a job.json", "--limit", "1").exit == 5)
        #expect(try await job.nukeBatch("retry", "a job.json", "--url", "nowhere").exit == 5)
    }

    @Test("one is not many")
    func numbers() async throws {
        try job.write(#""sources": [{"files": "0.png"}], "outputs": [{"path": "{stem}.{ext}"}]"#)
        try await job.run()
        #expect(try await job.nukeBatch("validate", "job.json").output == "job.json: correct, 1 output\n")
        #expect(try await job.nukeBatch("verify", "job.json").output == "1 output checked, 0 damaged\n")
    }
}
