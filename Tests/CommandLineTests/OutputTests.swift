import Foundation
import TestSupport
import Testing

/// Results that cannot be written, or that go to a terminal.
@Suite(.timeLimit(.minutes(10))) struct OutputTests {
    private let job: JobFolder

    init() async throws {
        job = try JobFolder()
        for number in 0..<3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        try job.write(#""sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}]"#)
        try await job.run()
    }

    /// Runs nuke-batch in a shell; the last line of the output is its exit code.
    private func shell(_ words: String, of interpreter: String = "/bin/bash") async throws -> Program.Outcome
    {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        return try await Program(
            path: interpreter,
            ["-c", "\(program) \(words); echo $?"],
            in: job.folder.path
        ).wait()
    }

    @Test(
        "results on a full disk are exit 4 with a message",
        arguments: [
            "items job.json", "items job.json --csv", "export job.json", "export job.json --json",
            "plan job.json", "status job.json", "manual", "manual 5", "log job.json --har -",
            "log job.json --har /dev/stdout", "report job.json", "validate job.json", "verify job.json",
            "run job.json", "run job.json --json --fresh", "explain job.json 0.png", "prune job.json",
            "doctor job.json", "cache stat job.json", "completions zsh", "version", "--help", "items --help",
        ]
    )
    func fullDisk(words: String) async throws {
        let outcome = try await shell("\(words) >/dev/full")
        #expect(outcome.output == "4\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("cannot write to standard output: No space left on device"))
    }

    @Test(
        "a file on a full disk is exit 4 with a message, and a device stays a device",
        arguments: ["report job.json -o", "log job.json --har"]
    )
    func fullFile(words: String) async throws {
        let path = try job.folder.makeFullDevice("full")
        let outcome = try await shell("\(words) full")
        #expect(outcome.output == "4\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("cannot write to full: No space left on device"))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    // A sanitizer writes files of its own, which the limit ends.
    @Test(
        "a file that reaches the size limit of the process is exit 4, without a signal",
        .enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil)
    )
    func sizeLimit() async throws {
        let outcome = try await shell(
            "manual 5 >page; ulimit -f 1; \(Program.folder.path)/nuke-batch manual 5 >cut"
        )
        #expect(outcome.output == "4\n" && outcome.errors.contains("File too large"), "\(outcome)")
    }

    @Test("closed streams are no error, and no file of the run gets their numbers")
    func closedStreams() async throws {
        let outcome = try await shell("run job.json --fresh <&- >&- 2>&-")
        #expect(outcome.output == "0\n")
        for command in ["verify", "doctor"] {
            let found = try await job.nukeBatch(command, "job.json")
            #expect(found.exit == 0, "\(command): \(found.output)\(found.errors)")
        }
    }

    @Test("a reader that closes its pipe is no error for a file either")
    func closedPipe() async throws {
        let outcome = try await shell("report job.json -o >(true)")
        #expect(outcome.output == "0\n" && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test("a slow reader of a pipe that does not block gets everything")
    func nonBlocking() async throws {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let reader = "import os,sys;os.set_blocking(1,False);os.execv(sys.argv[1],sys.argv[1:])"
        let outcome = try await Program(
            path: "/bin/bash",
            ["-c", "python3 -c '\(reader)' \(program) validate --schema | tail -n 1"],
            in: job.folder.path
        ).wait()
        #expect(outcome.lines.last == "}", "\(outcome.errors)")
    }

    @Test("a terminal gets no control characters, a file gets them as they are")
    func terminal() async throws {
        try job.write(
            #""name": "31m\u202Ez", "sources": [{"urls": [{"url": "a.png", "id": "x\u001B[31m\u0007y"}]}]"#
        )
        try await job.run(exit: 1)
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        for words in ["items job.json --csv", "export job.json", "items job.json --json", "report job.json"] {
            let shown = try await Program(
                path: "/usr/bin/script",
                ["-qec", "\(program) \(words)", "/dev/null"],
                in: job.folder.path,
                environment: ["TERM": "xterm"]
            ).wait()
            #expect(shown.exit == 0 && shown.output.contains("31m"), "\(shown.output)")
            #expect(!shown.output.contains("\u{1B}") && !shown.output.contains("\u{7}"), "\(shown.output)")
            #expect(!shown.output.contains("\u{202E}"), "\(shown.output)")
            #expect(!shown.output.contains("{d}"), "\(shown.output)")
        }
        #expect(try await job.nukeBatch("items", "job.json", "--csv").output.contains("x\u{1B}[31m\u{7}y"))
    }

    @Test("an image is not written to a terminal")
    func image() async throws {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let shown = try await Program(
            path: "/usr/bin/script",
            ["-qec", "\(program) cache get job.json --url x", "/dev/null"],
            in: job.folder.path
        ).wait()
        #expect(shown.output.contains("--output FILE"), "\(shown.output)")
    }
}
