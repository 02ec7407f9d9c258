import Foundation
import TestSupport
import Testing

/// Outputs with the names of their originals.
@Suite(.timeLimit(.minutes(10))) struct FoundNameTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    private static let stems = [
        "Hochzeit Müller & Söhne", "🎉 party", "a.b.c", " leading and trailing ", "dots...", "CON", "aux",
        "NUL.txt", "a'b\"c$d`e",
        "{width}", "a{b}c", "100%", "#hash", "a?b*c", "\\back", "(1) [2]", "日本語", "e\u{301}", "a\u{200D}b",
        ".hidden",
    ]

    private func files(in folder: String) throws -> Set<[UInt8]> {
        let all =
            FileManager.default.enumerator(atPath: job.folder.path(folder))?.allObjects.compactMap {
                $0 as? String
            } ?? []
        return Set(all.filter { !$0.hasPrefix(".nuke-batch") && $0.contains(".png") }.map { Array($0.utf8) })
    }

    @Test(
        "resize and convert keep names as they are",
        arguments: [
            ["resize", "--width", "2"], ["convert", "--format", "png"], ["resize", "--width", "2,4"],
        ]
    )
    func kept(words: [String]) async throws {
        for (number, stem) in Self.stems.enumerated() {
            try job.folder.write(try TestImages.tiny(number), to: "in/\(stem).png")
        }
        try job.folder.write(try TestImages.tiny(99), to: "in/.h/a.png")
        let several = words.last == "2,4"
        let all = [words[0], "in", "in/.hidden.png", "in/.h", "-o", "out"] + words.dropFirst()
        let outcome = try await Program.run("nuke-batch", all, in: job.folder.path)
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        let expected = (Self.stems + ["a"]).flatMap { stem in
            several ? ["\(stem)-2.png", "\(stem)-4.png"] : ["\(stem).png"]
        }
        #expect(try files(in: "out") == Set(expected.map { Array($0.utf8) }))
        let again = try await Program.run("nuke-batch", all, in: job.folder.path)
        #expect(again.exit == 0 && again.output.hasPrefix("nothing to do: "), "\(again.output)")
    }

    @Test(
        "names as they are found, after portable ones, are other files where only their Unicode form differs"
    )
    func unicodeForms() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "in/e\u{301}.png")
        for (names, expected) in [("portable", ["\u{E9}.png"]), ("asFound", ["\u{E9}.png", "e\u{301}.png"])] {
            try job.write(
                """
                "sources": [{"files": "in/*"}],
                "outputs": [{"format": "png", "path": "{stem}.{ext}", "names": "\(names)"}]
                """
            )
            try await job.run()
            #expect(try files(in: "out") == Set(expected.map { Array($0.utf8) }))
        }
        let pruned = try await job.nukeBatch("prune", "job.json", "--delete")
        #expect(pruned.exit == 0, "\(pruned.output)\(pruned.errors)")
        #expect(try files(in: "out") == [Array("e\u{301}.png".utf8)])
        #expect(try await job.nukeBatch("verify", "job.json").output.hasPrefix("1 output checked, 0 damaged"))
    }

    @Test("what no name should hold becomes _, and no name is too long")
    func replaced() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "in/-rf.png")
        try job.folder.write(try TestImages.tiny(2), to: "in/a\nb\u{7F}\u{85}.png")
        let long = String(repeating: "ü", count: 125)
        try job.folder.write(try TestImages.tiny(3), to: "in/\(long).png")
        let outcome = try await job.nukeBatch("convert", "in", "-o", "out", "--format", "webp", "--recursive")
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: job.folder.path("out")).filter {
            $0 != ".nuke-batch"
        }.sorted()
        #expect(names.contains("_rf.webp") && names.contains("a_b__.webp") && names.count == 3, "\(names)")
        #expect(names.contains("\(long).webp"))
    }

    @Test(
        "names of a manifest are portable unless it says otherwise, and the job's own folder is no output's"
    )
    func manifest() async throws {
        for name in ["A b.png", ".nuke-batch/job.png"] {
            try job.folder.write(try TestImages.tiny(1), to: "in/\(name)")
        }
        try job.folder.write("in/A b.png\nin/.nuke-batch/job.png\n", to: "a.txt")
        for (names, expected) in [
            ("", ["A_b.png", "_nuke-batch/job.png"]),
            (#""names": "portable","#, ["A_b.png", "_nuke-batch/job.png"]),
            (#""names": "asFound","#, ["A b.png", "_.nuke-batch/job.png"]),
        ] {
            try job.write(
                """
                "sources": [{"list": "a.txt", "base": "."}],
                "outputs": [{"format": "original", \(names) "path": "{dir}/{stem}.{ext}"}]
                """
            )
            try await job.run()
            for path in expected {
                #expect(FileManager.default.fileExists(atPath: job.folder.path("out/in/\(path)")), "\(path)")
            }
        }
        try job.write(#""sources": [{"list": "a.txt"}], "outputs": [{"names": "asfound"}]"#)
        let wrong = try await job.run(exit: 2)
        #expect(wrong.errors.contains("asFound"))
    }

    @Test("names that differ only in case or Unicode form are warned about, and each has its file")
    func forms() async throws {
        let stems = ["é", "e\u{301}", "É"]
        for (number, stem) in stems.enumerated() {
            try job.folder.write(try TestImages.tiny(number), to: "in/\(stem).png")
        }
        for path in ["{stem}.{ext}", "{width}-{stem}.{ext}"] {
            try job.write(
                """
                "sources": [{"files": "in"}], "destination": "\(path.utf8.count)",
                "outputs": [{"format": "png", "names": "asFound", "path": "\(path)"}]
                """
            )
            let run = try await job.run()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: job.folder.path("\(path.utf8.count)"))
                    .count == 3
            )
            let told = run.output + run.errors
            #expect(told.contains("differ only in case or Unicode form"), "\(told)")
        }
    }
}
