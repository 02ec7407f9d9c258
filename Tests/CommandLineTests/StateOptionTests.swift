import Foundation
import TestSupport
import Testing

/// `--state` selects items and `--state-file` names the state file, in every command that has them.
@Suite(.timeLimit(.minutes(10))) struct StateOptionTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        try job.folder.write(try TestImages.tiny(1), to: "a.png")
        try job.write(#""sources": [{"urls": ["a.png", "none.png"]}], "outputs": [{"path": "{stem}.{ext}"}]"#)
    }

    private func nukeBatch(_ words: [String]) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: job.folder.path)
    }

    @Test func eachCommandShowsThemWithTheSameMeaning() async throws {
        var (selecting, locating): (Set<String>, Set<String>) = ([], [])
        let commands =
            try await ProgramHelp(in: job.folder.path).commands.map { [$0] } + [["fleet", "collect"]]
        for words in commands {
            let command = words.joined(separator: " ")
            for line in try await nukeBatch(words + ["--help"]).lines where line.hasPrefix("  -") {
                if line.contains(#/--state\b(?!-)/#) {
                    #expect(
                        line.contains("--state STATE,…") && line.contains("failed, quarantined"),
                        "\(line)"
                    )
                    selecting.insert(command)
                } else if line.contains("--state-file") {
                    #expect(line.contains("--state-file FILE"), "\(line)")
                    locating.insert(command)
                }
            }
        }
        #expect(selecting == ["items", "retry", "export"])
        let others: Set = ["validate", "cache", "completions", "manual", "version"]
        #expect(locating.isDisjoint(with: others) && locating.count == 19, "\(locating)")
    }

    @Test(
        "a command that selects no items names both options",
        arguments: ["run", "warm", "plan", "status", "verify", "prune", "report", "log", "doctor"],
        ["failed", "states/job.sqlite"]
    )
    func withoutSelection(command: String, value: String) async throws {
        for words in [["--state", value], ["--state=\(value)"]] {
            let wrong = try await nukeBatch([command, "job.json"] + words)
            #expect(wrong.exit == 2 && wrong.output.isEmpty)
            #expect(
                wrong.errors.contains("\(command) has no option --state: --state-file FILE"),
                "\(wrong.errors)"
            )
            #expect(wrong.errors.contains("items, retry, export"), "\(wrong.errors)")
        }
        #expect(job.files(in: ".nuke-batch").isEmpty && job.files(in: "states").isEmpty)
    }

    @Test(
        "a file or an unknown state for --state names the states and the other option",
        arguments: ["items", "retry", "export"],
        ["states/job.sqlite", "lost", "failed,lost"]
    )
    func withSelection(command: String, value: String) async throws {
        let wrong = try await nukeBatch([command, "job.json", "--state", value])
        #expect(wrong.exit == 2 && wrong.output.isEmpty)
        for part in ["failed, quarantined", "--state-file FILE", "not \(value)"] {
            #expect(wrong.errors.contains(part), "\(wrong.errors)")
        }
    }

    @Test func bothWorkTogether() async throws {
        let place = ["job.json", "--state-file", "states/job.sqlite"]
        #expect(try await nukeBatch(["run"] + place).exit == 1)
        let failed = try await nukeBatch(["items"] + place + ["--state", "failed,quarantined", "--json"])
        #expect(failed.lines.count == 1 && failed.output.contains("none.png"), "\(failed.output)")
        #expect(try await nukeBatch(["retry"] + place + ["--state", "failed"]).exit == 1)
        #expect(try await nukeBatch(["status"] + place).output.contains("run 2 "))
        #expect(try await job.nukeBatch("status", "job.json").output.contains("never run"))
    }
}
