import Foundation
import TestSupport
import Testing

/// `diff`: what a change of a manifest makes again, before anything is made.
@Suite(.timeLimit(.minutes(10))) struct DiffTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for number in 0..<4 { try job.folder.write(try TestImages.tiny(number), to: "\(number).png") }
        try job.write(Self.manifest(quality: 80), to: "old.json")
    }

    /// A manifest of two outputs; `rest` is what follows them.
    private static func manifest(
        files: String = "[0-2].png",
        quality: Int,
        second: String = "b",
        _ rest: String = ""
    ) -> String {
        """
        "sources": [{"files": "\(files)"}], "outputs": [
            {"name": "a", "format": {"jpeg": {"quality": \(quality)}}, "path": "a/{stem}.{ext}"},
            {"name": "\(second)", "format": "png", "path": "b/{stem}.{ext}"}], "facts": ["size"]\(rest)
        """
    }

    /// The lines of JSON that a comparison prints, of which the last are the counts.
    private func compare(_ words: String...) async throws -> (lines: [[String: Any]], total: [String: Any]) {
        let outcome = try await Program.run("nuke-batch", ["diff"] + words + ["--json"], in: job.folder.path)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let objects = try ToldJob.objects(outcome)
        return (Array(objects.dropLast()), try #require(objects.last))
    }

    private func outputs(_ total: [String: Any]) throws -> [String: Int] {
        try #require(total["outputs"] as? [String: Int])
    }

    private func reasons(_ total: [String: Any]) throws -> [[String: Any]] {
        try #require(total["reasons"] as? [[String: Any]])
    }

    @Test("manifests that mean the same make nothing again, however they are written")
    func same() async throws {
        let text = String(decoding: try job.data("old.json"), as: UTF8.self)
        try job.folder.write("// new\n" + text.replacing(",", with: " , "), to: "new.json")
        let (lines, total) = try await compare("old.json", "new.json", "--items")
        #expect(lines.isEmpty)
        #expect(try outputs(total) == ["make": 0, "keep": 6, "prune": 0])
        #expect(total["gone"] as? Int == 0 && total["new"] as? Int == 0)
        let before = Set(job.files(in: "."))
        #expect(before == ["0.png", "1.png", "2.png", "3.png", "new.json", "old.json"])
    }

    @Test("a changed setting makes its output again for each item, and is named with both values")
    func setting() async throws {
        try job.write(Self.manifest(quality: 85), to: "new.json")
        let (lines, total) = try await compare("old.json", "new.json")
        #expect(lines.count == 1)
        #expect(lines[0]["path"] as? String == "outputs[0].format.jpeg.quality")
        #expect(lines[0]["old"] as? Int == 80 && lines[0]["new"] as? Int == 85)
        #expect(try outputs(total) == ["make": 3, "keep": 3, "prune": 0])
        let reason = try #require(try reasons(total).first)
        #expect(reason["reason"] as? String == "recipe" && reason["output"] as? String == "a")
        #expect(reason["settings"] as? [String] == ["format"])
        let text = try await job.nukeBatch("diff", "old.json", "new.json")
        #expect(text.lines.first == "outputs[0].format.jpeg.quality: 80 → 85")
        #expect(text.output.contains("3 outputs  format changed: a") && text.lines.last == "0 items gone")
    }

    @Test(
        "new, gone and renamed things are told apart: items, outputs and files that nothing asks for any more"
    )
    func items() async throws {
        try job.write(Self.manifest(files: "[1-3].png", quality: 80, second: "c"), to: "new.json")
        let (lines, total) = try await compare("old.json", "new.json", "--items")
        let paths = lines.compactMap { $0["path"] as? String }
        #expect(paths == ["sources[0].files", "outputs[1]", "outputs[1]"])
        #expect(total["gone"] as? Int == 1 && total["new"] as? Int == 1)
        // The new item has two outputs, and the others a new one each; b is orphaned three times, and a of the item that is gone.
        #expect(try outputs(total) == ["make": 4, "keep": 2, "prune": 4])
        let gone = lines.compactMap { $0["gone"] as? String }
        #expect(gone.count == 1 && gone[0].hasSuffix("0.png"), "\(gone)")
        #expect(lines.count { $0["url"] != nil } == 3)
        let text = try await job.nukeBatch("diff", "old.json", "new.json", "--items")
        #expect(text.lines.contains { $0.hasPrefix("gone  ") && $0.hasSuffix("0.png") })
        #expect(text.lines.last == "1 item gone")
    }

    @Test(
        "with one manifest, it is compared with what was done, and the state and the outputs stay as they are"
    )
    func state() async throws {
        try job.write(Self.manifest(quality: 80))
        try await job.run()
        let before = try job.files().map { try job.data("out/\($0)") }
        let state = try job.data(".nuke-batch/job.sqlite")
        #expect(try outputs(try await compare("job.json").total)["make"] == 0)
        try job.write(Self.manifest(quality: 85))
        let (lines, total) = try await compare("job.json")
        #expect(lines.isEmpty)
        #expect(try outputs(total) == ["make": 3, "keep": 3, "prune": 0])
        #expect(try job.files().map { try job.data("out/\($0)") } == before)
        #expect(try job.data(".nuke-batch/job.sqlite") == state)
        // The control: the run does what was told.
        let end = try job.end(try await job.run("--json"))
        #expect(end["made"] as? Int == 3, "\(end)")
    }

    @Test("one of two manifests may be standard input, and no state needs a name", arguments: [true, false])
    func standardInput(isNew: Bool) async throws {
        try job.write(Self.manifest(quality: 85), to: "new.json")
        let names = [("old.json", "-"), ("-", "new.json")][isNew ? 0 : 1]
        let input = String(decoding: try job.data(isNew ? "new.json" : "old.json"), as: UTF8.self)
        let read = try await job.nukeBatch("diff", names.0, names.1, input: input)
        let control = try await job.nukeBatch("diff", "old.json", "new.json")
        #expect(read.exit == 0 && read.output == control.output, "\(read.output)\(read.errors)")
        // What was done is in a state, whose name nothing tells.
        let alone = try await job.nukeBatch("diff", "-", input: input)
        #expect(alone.exit == 2 && alone.errors.contains("--state-file FILE"), "\(alone.errors)")
    }

    @Test("standard input is read once: the second to take it is refused by name")
    func standardInputTwice() async throws {
        for (name, path) in [("old", "{stem}"), ("new", "{index}")] {
            try job.write(
                #""sources": [{"list": "-", "as": "txt"}], "outputs": [{"path": "\#(path).{ext}"}]"#,
                to: "\(name)-list.json"
            )
        }
        let manifest = String(decoding: try job.data("old.json"), as: UTF8.self)
        for (words, input, message) in [
            (["-", "-"], manifest, "- is given twice"),
            (["old-list.json", "new-list.json"], "0.png\n", "OLD and NEW take standard input"),
            (["old-list.json", "-"], manifest, "OLD and NEW take standard input"),
        ] {
            let outcome = try await Program.run(
                "nuke-batch",
                ["diff"] + words,
                in: job.folder.path,
                input: input
            )
            #expect(outcome.exit == 2 && outcome.output.isEmpty, "\(words): \(outcome.output)")
            #expect(outcome.errors.contains(message), "\(words): \(outcome.errors)")
        }
        for command in ["fmt", "validate"] {
            let twice = try await job.nukeBatch(command, "-", "-", input: manifest)
            #expect(twice.exit == 2 && twice.errors.contains("- is given twice"), "\(twice.errors)")
        }
        let one = try await job.nukeBatch("diff", "old.json", "new-list.json", input: "3.png\n")
        #expect(one.exit == 0 && one.output.contains("1 new"), "\(one.output)\(one.errors)")
    }

    @Test("what may be a secret is not printed")
    func secrets() async throws {
        for (name, secret) in [("old.json", "s3cret-a"), ("new.json", "s3cret-b")] {
            let loading = #", "loading": {"headers": {"X-Key": "\#(secret)"}}"#
            try job.write(Self.manifest(quality: 80, loading), to: name)
        }
        let text = try await job.nukeBatch("diff", "old.json", "new.json")
        #expect(
            text.exit == 0 && text.lines.first == #"loading.headers.X-Key: "redacted" → "redacted""#,
            "\(text.output)"
        )
        #expect(!(text.output + text.errors).contains("s3cret"))
    }

    @Test("no manifest, three manifests and a wrong one are exit code 2")
    func errors() async throws {
        try job.folder.write("{}", to: "wrong.json")
        for words in [
            ["diff"], ["diff", "old.json", "old.json", "old.json"], ["diff", "wrong.json", "old.json"],
        ] {
            let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(outcome.exit == 2 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(words)")
        }
    }
}
