import Foundation
import TestSupport
import Testing

/// `fmt`: files are rewritten only where they change, and nothing is lost.
@Suite(.timeLimit(.minutes(10))) struct FmtTests {
    private let job: JobFolder
    private static let text = #"{"destination": "out", /* where from */ "sources": [{"files": "*.png"}]}"#
    private static let formatted = """
        {
          /* where from */
          "sources": [{"files": "*.png"}],
          "destination": "out"
        }

        """

    init() throws {
        job = try JobFolder()
    }

    private func text(_ name: String) throws -> String { String(decoding: try job.data(name), as: UTF8.self) }

    @Test("a manifest is rewritten through a link with its mode, and one that is formatted is not touched")
    func inPlace() async throws {
        try job.folder.write(Self.text, to: "jobs/real.json")
        try job.folder.write(Self.formatted, to: "whole.json")
        try job.folder.write("outputs: []\nname: a # b\n", to: "c.yaml")
        chmod(job.folder.path("jobs/real.json"), 0o640)
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("job.json"),
            withDestinationPath: "jobs/real.json"
        )
        let before = try job.modified("whole.json")
        let first = try await job.nukeBatch("fmt", "job.json", "whole.json", "c.yaml")
        #expect(
            first.exit == 0 && first.lines == ["formatted job.json", "formatted c.yaml"],
            "\(first.errors)"
        )
        #expect(try text("jobs/real.json") == Self.formatted)
        #expect(try text("c.yaml") == "name: a # b\noutputs: []\n")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: job.folder.path("job.json"))
                == "jobs/real.json"
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: job.folder.path("jobs/real.json"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try job.modified("whole.json") == before)
        let second = try await job.nukeBatch("fmt", "job.json", "whole.json", "c.yaml")
        #expect(second.exit == 0 && second.output.isEmpty && second.errors.isEmpty)
    }

    @Test("--check names what is not formatted and writes nothing; --stdout and - print")
    func check() async throws {
        try job.folder.write(Self.text, to: "a.json")
        try job.folder.write(Self.formatted, to: "b.json")
        let check = try await job.nukeBatch("fmt", "--check", "a.json", "b.json")
        #expect(check.exit == 1 && check.lines == ["a.json"])
        let whole = try await job.nukeBatch("fmt", "--check", "b.json")
        #expect(whole.exit == 0 && whole.output.isEmpty)
        #expect(try await job.nukeBatch("fmt", "--stdout", "a.json").output == Self.formatted)
        #expect(try await job.nukeBatch("fmt", "-", input: Self.text).output == Self.formatted)
        let piped = try await job.nukeBatch("fmt", "--check", "-", input: Self.text)
        #expect(piped.exit == 1 && piped.lines == ["<stdin>"])
        #expect(try text("a.json") == Self.text)
    }

    @Test("an error has its place and exit code 2, nothing of its file changes, and the others are formatted")
    func errors() async throws {
        let wrong = #"{"outputs": [{"nam": "b"}], "sources": []}"#
        try job.folder.write(wrong, to: "wrong.json")
        try job.folder.write(Self.text, to: "right.json")
        let outcome = try await job.nukeBatch("fmt", "wrong.json", "none.json", "right.json")
        #expect(outcome.exit == 2 && outcome.lines == ["formatted right.json"])
        #expect(
            outcome.errors.contains(#"wrong.json:1:15: outputs[0].nam: unknown key; did you mean "name"?"#)
        )
        #expect(outcome.errors.contains("none.json: "))
        #expect(try text("wrong.json") == wrong)
        for words in [["fmt"], ["fmt", "--check", "--stdout", "right.json"]] {
            let usage = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(usage.exit == 2 && usage.errors.contains("fmt "), "\(words)")
        }
    }
}
