import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The conventions of the command line: help, versions, where results and messages go, pipes that close.
@Suite(.timeLimit(.minutes(10))) struct CommandFormTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<3 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        try job.write(#""sources": [{"files": "*.png"}], "outputs": [{"path": "{stem}.{ext}"}]"#)
    }

    private static let commands = [
        "resize", "convert", "init", "run", "warm", "plan", "diff", "validate", "fmt", "status", "items",
        "retry", "verify", "adopt",
        "report", "explain", "log",
        "export", "duplicates",
        "prune", "cache", "doctor", "completions", "version",
    ]

    @Test(
        "every command has its help, in the program's and of its own, and none that the contract does not name is needed"
    )
    func help() async throws {
        let all = try await job.nukeBatch("--help")
        #expect(all.exit == 0 && all.errors.isEmpty)
        for command in Self.commands {
            for words in [[command, "--help"], ["help", command], [command, "nonsense", "-h"]] {
                let help = try await Program.run("nuke-batch", words, in: job.folder.path)
                #expect(help.exit == 0 && help.output.contains("usage: nuke-batch \(command)"), "\(words)")
            }
        }
        #expect(Set(Self.commands).isSubset(of: try await ProgramHelp(in: job.folder.path).commands))
        for code in ["0 success", "1 some", "2 wrong", "3 another", "4 local", "5 stopped", "129/130/143 "] {
            #expect(all.output.contains(" \(code)"), "\(code)")
        }
    }

    @Test("run has the options of the contract")
    func options() async throws {
        let help = try await job.nukeBatch("run", "--help").output
        for option in [
            "--state-file FILE", "--destination DIR", "--cache DIR", "--concurrency N", "--per-host N",
            "--rate ",
            "--processing N",
            "--memory SIZE", "--max-duration ", "--limit N", "--only-output NAME", "--offline",
            "--revalidate",
            "--refresh-encoders", "--fresh", "--shard I/N", "--progress ", "--quiet", "--json", "--verbose",
            "--metrics FILE", "--fail-on any|new|N%|never", "--on-finish COMMAND", "--webhook URL",
            "-n, --dry-run", "-q, --quiet", "-v, --verbose", "-j, --concurrency N", "-o, --destination DIR",
        ] {
            #expect(help.contains(" \(option)"), "\(option)")
        }
    }

    @Test("each file of a command is in the help, under its name")
    func registry() async throws {
        // Those that print the table of all commands lie beside it.
        let files = try ["Commands", "Program"].flatMap { folder in
            let path = Repository.root.appendingPathComponent("Sources/nuke-batch/\(folder)").path
            return try FileManager.default.contentsOfDirectory(atPath: path)
        }
        let names = files.compactMap { $0.wholeMatch(of: /(\w+)Command.swift/) }.map { $0.1.lowercased() }
        let listed = try await ProgramHelp(in: job.folder.path).commands.sorted()
        #expect((names + ["fleet"]).sorted() == listed && names.count > 10)
    }

    @Test("an action of a group has help of its own, and only its own options; another's are named as such")
    func groups() async throws {
        let group = try await job.nukeBatch("fleet", "--help").lines
        let folder = Repository.root.appendingPathComponent("Sources/nuke-batch/Fleet").path
        let actions = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { $0.firstMatch(of: /^Fleet(.+)Command.swift$/).map { String($0.1).lowercased() } }
        #expect(actions.count == 6)
        for action in actions {
            #expect(group.contains { $0.hasPrefix("  \(action) ") }, "\(action)")
            for words in [["fleet", action, "--help"], ["help", "fleet", action]] {
                let help = try await Program.run("nuke-batch", words, in: job.folder.path)
                #expect(
                    help.exit == 0 && help.output.contains("usage: nuke-batch fleet \(action) "),
                    "\(words)"
                )
                #expect(help.output.contains(" --watch") == (action == "status"), "\(words)")
            }
        }
        for (words, message) in [
            (["fleet"], "fleet needs an action: plan, work, status, collect, template, key"),
            (["fleet", "pln"], "fleet has no action pln; did you mean plan?"),
            (["fleet", "--store", "x"], "fleet has no action --store"),
            (["fleet", "work", "--watch"], "fleet work has no option --watch: it is one of fleet status"),
            (["fleet", "status", "--frobnicate"], "see nuke-batch fleet status --help"),
        ] {
            let wrong = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(wrong.exit == 2 && wrong.errors.contains(message), "\(words): \(wrong.errors)")
        }
    }

    @Test("the program's help fits a terminal of 24 lines and 80 columns")
    func screen() async throws {
        let help = try await ProgramHelp(in: job.folder.path)
        // The last line end makes an empty line of its own.
        #expect(help.lines.count <= 25 && help.lines.allSatisfy { $0.count <= 80 }, "\(help.lines)")
    }

    @Test("each command's help and the manual page have two examples, whose options the command has")
    func examples() async throws {
        let manual = try await job.nukeBatch("manual").output.replacing("\\-", with: "-")
        for command in try await ProgramHelp(in: job.folder.path).commands {
            let help = try await job.nukeBatch(command, "--help").lines
            let examples = help.drop { $0 != "examples:" }.filter { $0.hasPrefix("  nuke-batch ") }
            #expect(examples.count == 2, "\(command)")
            for example in examples {
                let line = example.trimmingCharacters(in: .whitespaces)
                #expect(manual.contains("\\fB\(line)\\fR"), "\(line)")
                let words = line.split(separator: " ").dropFirst().map(String.init)
                guard words != ["--version"] else { continue }
                let outcome = try await Program.run("nuke-batch", words + ["--help"], in: job.folder.path)
                #expect(words.first == command && outcome.exit == 0, "\(line): \(outcome.errors)")
            }
        }
    }

    @Test("short options can be grouped, and take their values as getopt does")
    func shortOptions() async throws {
        for words in [
            ["-qj2", "-o", "a"], ["-vqoa", "-j", "2"], ["-q", "-j=2", "-oa"], ["-j2", "-qo", "a"],
        ] {
            let run = try await Program.run("nuke-batch", ["run", "job.json"] + words, in: job.folder.path)
            #expect(run.exit == 0 && run.output.isEmpty && run.errors.isEmpty, "\(words): \(run.errors)")
            #expect(job.files(in: "a").count == 3, "\(words)")
            try FileManager.default.removeItem(atPath: job.folder.path("a"))
            try FileManager.default.removeItem(atPath: job.folder.path(".nuke-batch"))
        }
        for (words, message) in [
            (["-qj"], "--concurrency needs a value"), (["-j0"], "--concurrency takes"),
            (["-qx"], "run has no option -x"), (["-q=1"], "--quiet takes no value"),
            (["-quiet"], "did you mean --quiet?"), (["-limit", "1"], "did you mean --limit?"),
        ] {
            let wrong = try await Program.run("nuke-batch", ["run", "job.json"] + words, in: job.folder.path)
            #expect(wrong.exit == 2 && wrong.errors.contains(message), "\(words): \(wrong.errors)")
        }
        #expect(try await job.nukeBatch("run", "-qh").output.contains("usage: nuke-batch run"))
        #expect(try await job.nukeBatch("-V").output == job.nukeBatch("version").output)
    }

    @Test("a dry run prints what plan prints and writes nothing")
    func dryRun() async throws {
        let plan = try await job.nukeBatch("plan", "job.json")
        for words in [
            ["run", "-n", "job.json"], ["run", "--dry-run", "job.json"], ["retry", "-n", "job.json"],
        ] {
            let dry = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(dry.exit == 0 && dry.output == plan.output && dry.errors.isEmpty, "\(words)")
        }
        let warm = try await job.nukeBatch("warm", "-n", "job.json")
        #expect(warm.exit == 0 && !warm.output.contains("outputs to make"), "\(warm.output)")
        #expect(job.files(in: ".nuke-batch").isEmpty && job.files().isEmpty)
        try await job.run()
        let fresh = try await job.nukeBatch("run", "job.json", "--fresh", "-n", "--json")
        #expect(fresh.output.contains(#""new":3"#), "\(fresh.output)")
        #expect(try await job.nukeBatch("run", "job.json", "-n", "--json").output.contains(#""done":3"#))
        try job.folder.write("no image", to: "1.png")
        try await job.run(exit: 1)
        #expect(try await job.nukeBatch("run", "job.json", "-n").output.contains("1 failed"))
        let retried = try await job.nukeBatch("retry", "job.json", "-n").output
        #expect(retried.hasPrefix("3 items\n") && !retried.contains(" failed\n"), "\(retried)")
        #expect(try await job.errors().contains { $0 != "-" }, "it was not requeued")
    }

    @Test("--version and version say the same, with the libraries")
    func version() async throws {
        let (option, command) = (try await job.nukeBatch("--version"), try await job.nukeBatch("version"))
        #expect(option.exit == 0 && option.output == command.output)
        #expect(option.lines.first?.wholeMatch(of: /nuke-batch [0-9]+\.[0-9]+\.[0-9]+/) != nil)
        for library in ["libjpeg-turbo", "libpng", "libwebp", "libcurl", "SQLite"] {
            #expect(option.output.contains(library))
        }
    }

    @Test("-- ends the options, and = stands between an option and its value as well as a space")
    func separators() async throws {
        let text = try String(contentsOfFile: job.folder.path("job.json"), encoding: .utf8)
        try job.folder.write(text, to: "--json")
        #expect(try await job.nukeBatch("validate", "--", "--json").exit == 0)
        #expect(try await job.nukeBatch("run", "--destination=made", "--", "job.json").exit == 0)
        #expect(job.files(in: "made") == ["0.png", "1.png", "2.png"])
    }

    @Test("results go to standard output, messages and progress to standard error")
    func streams() async throws {
        let run = try await job.run("--progress", "bar", "--verbose")
        #expect(run.lines.count == 2 && run.output.hasPrefix("3 made"), "\(run.output)")
        let json = try await job.nukeBatch("run", "job.json", "--fresh", "--json", "--progress", "bar")
        #expect(json.lines.count == 5 && json.lines.allSatisfy { $0.hasPrefix("{") }, "\(json.output)")
        let wrong = try await job.nukeBatch("run", "nowhere.json")
        #expect(wrong.exit == 2 && wrong.output.isEmpty && wrong.errors.contains("nowhere.json"))
    }

    @Test(
        "a reader that goes away is no error",
        arguments: ["items job.json --json", "run job.json --json --fresh", "--help"]
    )
    func closedPipe(words: String) async throws {
        try await job.run()
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let outcome = try await Program(
            path: "/bin/bash",
            ["-c", "\(program) \(words) | true; echo ${PIPESTATUS[0]}"],
            in: job.folder.path
        ).wait()
        #expect(outcome.output == "0\n" && outcome.errors.isEmpty, "\(outcome.output)\(outcome.errors)")
    }

    @Test("plain progress is a line every few seconds, none is nothing")
    func plainProgress() async throws {
        let held = Asked()
        let server = try LoopbackServer { _ in
            held.waitForEnd()
            return .status(404)
        }
        try job.write(#""sources": [{"urls": ["\#(server.address)/a", "\#(server.address)/b"]}]"#)
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let plain = try Program(
            path: "/bin/sh",
            ["-c", "\(program) run job.json --progress plain 2>&1"],
            in: job.folder.path
        ) { _ in held.end() }
        let outcome = await plain.wait()
        let first = try #require(outcome.lines.first)
        #expect(first.contains("0/2") && !outcome.output.contains("\u{1B}"), "\(outcome.output)")
        let none = try await job.nukeBatch("run", "job.json", "--fresh", "--progress", "none")
        #expect(none.errors.isEmpty)
        #expect(try await job.nukeBatch("run", "job.json", "--progress", "fast").exit == 2)
    }

    @Test("without /proc, where its arguments stand, it says so and does nothing")
    func withoutProc() async throws {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        // Only some test machines let a process have mounts of its own.
        let script =
            "unshare -m true 2>/dev/null || exit 77; unshare -m sh -c 'mount -t tmpfs none /proc && \(program) version'"
        let outcome = try await Program(path: "/bin/sh", ["-c", script], in: job.folder.path).wait()
        guard outcome.exit != 77 else { return }
        #expect(outcome.exit == 4 && outcome.output.isEmpty && outcome.errors.contains("mount /proc"))
    }
}
