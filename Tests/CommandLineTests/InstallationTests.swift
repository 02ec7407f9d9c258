import Foundation
import TestSupport
import Testing

/// The parts of an installation: completions that shells load, and a manual page that man shows, made from one table.
@Suite(.timeLimit(.minutes(10))) struct InstallationTests {
    private func run(_ path: String, _ words: [String], in folder: TemporaryFolder) async throws
        -> Program.Outcome
    {
        try await Program(path: path, words, in: folder.path).wait()
    }

    private func written(_ words: [String], to name: String) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run("nuke-batch", words, in: folder.path)
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        try folder.write(outcome.output, to: name)
        return folder
    }

    /// Returns the completions that bash offers for the last of `words`.
    private func offered(_ words: [String]) async throws -> [String] {
        let folder = try await written(["completions", "bash"], to: "complete.bash")
        try folder.write("{}", to: "job.json")
        try FileManager.default.createDirectory(
            atPath: folder.path("jobs"),
            withIntermediateDirectories: true
        )
        let line = (["nuke-batch"] + words).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            set -u
            compopt() { :; }
            source ./complete.bash
            complete -p nuke-batch >/dev/null
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count)
            _nuke_batch
            printf '%s\\n' "${COMPREPLY[@]:-}"
            """
        let outcome = try await run("/bin/bash", ["--norc", "-c", script], in: folder)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        return outcome.lines.sorted()
    }

    @Test func bashCompletesCommandsOptionsAndValues() async throws {
        #expect(try await offered(["ex"]) == ["explain", "export"])
        #expect(try await offered(["run", "--off"]) == ["--offline"])
        #expect(try await offered(["run", "--progress", "p"]) == ["plain"])
        #expect(try await offered(["items", "--state", "qu"]) == ["quarantined"])
        #expect(try await offered(["run", "--rate", ""]) == [])
        #expect(try await offered(["run", "job"]) == ["job.json", "jobs"])
        #expect(try await offered(["run", "--destination", "job"]) == ["jobs"])
        #expect(try await offered(["run", "-o", "job"]) == ["jobs"])
        #expect(try await offered(["report", "-o", "job"]) == ["job.json", "jobs"])
        #expect(try await offered(["cache", "-o", "x", "t"]) == ["trim"])
        #expect(try await offered(["run", "--fail-on", "n"]) == ["never", "new"])
        #expect(try await offered(["completions", ""]) == ["bash", "fish", "zsh"])
        #expect(try await offered(["cache", "t"]) == ["trim"])
        #expect(try await offered(["cache", "--json", "t"]) == ["trim"])
        #expect(try await offered(["cache", "--cache", "x", "t"]) == ["trim"])
        #expect(try await offered(["cache", "trim", "job"]) == ["job.json", "jobs"])
        #expect(try await offered(["items", "job.json", "--error", "http_45"]) == ["http_451"])
        #expect(try await offered(["items", "--error", "http_451,host_"]) == ["http_451,host_down"])
        #expect(try await offered(["items", "--state", "failed,"]).contains("failed,quarantined"))
        #expect(try await offered(["help", "exp"]) == ["explain", "export"])
        #expect(try await offered(["completions", "bash", ""]) == [])
        // An option of another command is none of this one's.
        #expect(try await offered(["version", "--off"]) == [])
    }

    @Test(
        "the script is one for the shell",
        arguments: [("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")]
    )
    func loads(shell: String, path: String) async throws {
        let folder = try await written(["completions", shell], to: "script")
        let text = try String(contentsOfFile: folder.path("script"), encoding: .utf8)
        for name in ["explain", "metrics", "quarantined", "formula-safe"] { #expect(text.contains(name)) }
        #expect(text.contains(shell == "zsh" ? "(-j --concurrency)" : "-l concurrency -s j"))
        guard FileManager.default.isExecutableFile(atPath: path) else { return }
        let outcome = try await run(path, ["-n", "script"], in: folder)
        #expect(outcome.exit == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func refusesAShellThatItDoesNotKnow() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program.run("nuke-batch", ["completions", "tcsh"], in: folder.path)
        #expect(outcome.exit == 2 && outcome.errors.contains("bash, zsh, fish"))
    }

    /// Every command and option of the help is in the page, which has no character that roff would stumble over.
    @Test func theManualPageHasEverything() async throws {
        let folder = try await written(["manual"], to: "nuke-batch.1")
        let page = try String(contentsOfFile: folder.path("nuke-batch.1"), encoding: .utf8)
        #expect(page.allSatisfy { $0.isASCII })
        #expect(!page.contains("\n\n"))
        let commands = try await ProgramHelp(in: folder.path).commands
        #expect(commands.count > 10 && commands.contains("explain"))
        for command in commands {
            #expect(page.contains(".SS \"nuke\\-batch \(command)"), "\(command)")
            let options = try await Program.run("nuke-batch", [command, "--help"], in: folder.path)
            for option in options.output.matches(of: /--[a-z-]+/) where option.0 != "--help" {
                #expect(page.contains(option.0.replacing("-", with: "\\-")), "\(command) \(option.0)")
            }
            for variable in options.output.matches(of: /NUKE_BATCH_[A-Z_]+/) {
                #expect(page.contains(".B \(variable.0)\n"), "\(command) \(variable.0)")
            }
        }
        try await expectPrintable("nuke-batch.1", in: folder)
    }

    @Test func theManualPageOfManifestsIsPrintable() async throws {
        let folder = try await written(["manual", "5"], to: "nuke-batch.5")
        try await expectPrintable("nuke-batch.5", in: folder)
    }

    /// Expects that roff finds no fault with the page, on terminals of 60 to 120 columns.
    private func expectPrintable(_ page: String, in folder: TemporaryFolder) async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        for columns in [60, 80, 120] {
            let groff = try await run(
                "/usr/bin/groff",
                ["-man", "-Tutf8", "-ww", "-rLL=\(columns)n", "-z", page],
                in: folder
            )
            #expect(groff.exit == 0 && groff.errors.isEmpty, "\(columns) columns: \(groff.errors)")
        }
    }
}
