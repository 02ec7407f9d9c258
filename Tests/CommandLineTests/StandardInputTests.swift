import Foundation
import TestSupport
import Testing

/// `-` as manifest, and the key `state`.
@Suite(.timeLimit(.minutes(10))) struct StandardInputTests {
    private let job: JobFolder
    private let json = """
        // A generator made this.
        {"sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}], "cache": {"directory": "cache"}}
        """

    init() throws {
        job = try JobFolder()
        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
    }

    @Test("a job from standard input runs once, and its commands take the manifest again")
    func run() async throws {
        let first = try await job.nukeBatch(
            "run",
            "-",
            "--state-file",
            "s.sqlite",
            "--limit",
            "1",
            input: json
        )
        #expect(first.exit == 5, "\(first.output)\(first.errors)")
        let next = "to continue: cat MANIFEST | nuke-batch run - --state-file s.sqlite"
        #expect(first.lines.contains { $0.hasSuffix(next) }, "\(first.output)")
        let second = try await job.nukeBatch("run", "-", "--state-file", "s.sqlite", input: json)
        #expect(second.exit == 0 && job.files() == ["1.png", "2.png", "3.png"], "\(second.errors)")
        let status = try await job.nukeBatch("status", "-", "--state-file", "s.sqlite", input: json)
        #expect(status.exit == 0 && status.output.contains("run 2 "), "\(status.output)\(status.errors)")
        #expect(job.files(in: ".nuke-batch").isEmpty)
    }

    @Test("YAML is recognized, and the key state names the state")
    func yaml() async throws {
        let text = """
            sources: [{files: "*.png"}]
            outputs: [{path: "{stem}.{ext}"}]
            cache: {directory: cache}
            state: states/${NAME}.sqlite
            """
        let run = try await job.nukeBatch("run", "-", input: text, environment: ["NAME": "own"])
        #expect(run.exit == 0 && job.files().count == 3, "\(run.output)\(run.errors)")
        #expect(job.files(in: "states").contains("own.sqlite"))
        let again = try await job.nukeBatch("run", "-", input: text, environment: ["NAME": "own"])
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
    }

    @Test(
        "without a name of the state nothing is done",
        arguments: [
            "run", "warm", "plan", "status", "items", "retry", "verify", "prune", "report", "export", "log",
            "doctor",
        ]
    )
    func nameless(command: String) async throws {
        let wrong = try await job.nukeBatch(command, "-", input: json)
        #expect(wrong.exit == 2 && wrong.output.isEmpty, "\(wrong.output)\(wrong.errors)")
        #expect(
            wrong.errors.contains("<stdin>: ") && wrong.errors.contains("--state-file FILE"),
            "\(wrong.errors)"
        )
        #expect(job.files() == [] && job.files(in: ".nuke-batch").isEmpty)
    }

    @Test("validate needs no state and names standard input; a list cannot be it, too")
    func validate() async throws {
        let right = try await job.nukeBatch("validate", "-", input: json)
        #expect(right.exit == 0 && right.output == "<stdin>: correct, 1 output\n", "\(right.output)")
        let list = #"{"sources": [{"list": "-", "as": "txt"}]}"#
        for (text, beginning) in [
            (list, "<stdin>:1:14: sources[0]: the manifest itself is standard input"),
            ("", "<stdin>:1:1: the document"),
            ("{\"sources\": [],}", "<stdin>:1:13: sources: is empty"), ("a: *b", "<stdin>:1:4: aliases"),
        ] {
            let wrong = try await job.nukeBatch("validate", "-", input: text)
            #expect(wrong.exit == 2 && wrong.output.hasPrefix(beginning), "\(wrong.output)")
        }
    }

    @Test("a state that moves with its key remakes nothing, and --state-file takes its place")
    func moved() async throws {
        let rest = #""sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}]"#
        try job.write(rest + #", "state": "a/one.sqlite""#, to: "jobs/job.json")
        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "jobs/\(number).png") }
        #expect(try await job.nukeBatch("run", "jobs/job.json").exit == 0)
        #expect(job.files(in: "jobs/a").contains("one.sqlite") && job.files(in: "jobs/.nuke-batch").isEmpty)
        try FileManager.default.moveItem(atPath: job.folder.path("jobs/a"), toPath: job.folder.path("jobs/b"))
        try job.write(rest + #", "state": "b/one.sqlite""#, to: "jobs/job.json")
        let moved = try await job.nukeBatch("run", "jobs/job.json")
        #expect(moved.exit == 0 && moved.output.hasPrefix("nothing to do"), "\(moved.output)")
        let other = try await job.nukeBatch("status", "jobs/job.json", "--state-file", "c.sqlite")
        #expect(other.output.contains("never run"), "\(other.output)")
        let part = try await job.nukeBatch("run", "jobs/job.json", "--shard", "1/2")
        #expect(
            part.exit == 0 && job.files(in: "jobs/b").contains("one.shard-1-of-2.sqlite"),
            "\(part.errors)"
        )
    }

    @Test("a state without a file's name is refused with its place")
    func wrong() async throws {
        try job.write(#""sources": [{"files": "*.png"}], "state": "states/""#)
        let wrong = try await job.nukeBatch("validate", "job.json")
        #expect(
            wrong.exit == 2 && wrong.output.hasPrefix("job.json:1:44: state: should name a file"),
            "\(wrong.output)"
        )
    }
}
