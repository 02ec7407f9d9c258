import Foundation
import TestSupport
import Testing

/// What was wrong with a file that is shown is told: in the run's events, in the item's facts, and in its explanation.
@Suite(.timeLimit(.minutes(10))) struct ImageWarningTests {
    private static let files = ["png-f-no-iend.png", "jpeg-d-extra-before-eoi.jpg", "png-a-cicp-p3.png"]

    private func folder(facts: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try write(facts, to: folder)
        return folder
    }

    private func write(_ facts: String, to folder: TemporaryFolder) throws {
        let images = Repository.root.appendingPathComponent("Tests/ReportedImages").path
        let urls = Self.files.map { "\"file://\(images)/\($0)\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "facts": [\(facts)], "network": {"fileRoots": ["\(images)"]},
             "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "{stem}.png"}]}
            """,
            to: "job.json"
        )
    }

    private func run(_ folder: TemporaryFolder, _ command: [String]) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", command, in: folder.path)
    }

    /// The facts of each item, in the list's order.
    private func facts(_ folder: TemporaryFolder) async throws -> [[String: Any]?] {
        try await run(folder, ["items", "job.json", "--json"]).lines.map { line in
            let item = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return item?["facts"] as? [String: Any]
        }
    }

    @Test("unasked, where there is something to tell")
    func tellsUnasked() async throws {
        let folder = try folder(facts: "")
        let run = try await run(folder, ["run", "job.json", "--json"])
        #expect(run.exit == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains(#""facts":{"warnings":["missing_end"]}"#), "\(run.output)")
        let found = try await facts(folder)
        #expect(found.map { $0?["warnings"] as? [String] } == [["missing_end"], ["stray_bytes"], nil])
        let explained = try await self.run(folder, ["explain", "job.json", Self.files[0]])
        #expect(
            explained.output.contains(
                "warning: The mark of the file's end is missing; all pixels are there."
            ),
            "\(explained.output)\(explained.errors)"
        )

        // Other facts are asked for now: the outputs stay, and so do the warnings.
        try write(#""size""#, to: folder)
        #expect(try await self.run(folder, ["run", "job.json"]).exit == 0)
        let later = try await facts(folder)
        #expect(later.map { $0?["warnings"] as? [String] } == [["missing_end"], ["stray_bytes"], nil])
        #expect(later.allSatisfy { $0?["size"] != nil })
    }

    @Test("asked, as an empty list where all is well")
    func tellsAsked() async throws {
        let folder = try folder(facts: #""warnings", "format""#)
        #expect(try await run(folder, ["run", "job.json"]).exit == 0)
        let found = try await facts(folder)
        #expect(found.map { $0?["warnings"] as? [String] } == [["missing_end"], ["stray_bytes"], []])
        let csv = try await run(folder, ["items", "job.json", "--csv"])
        #expect(csv.lines.first?.hasSuffix("facts.warnings,facts.format") == true, "\(csv.lines.first ?? "")")
    }
}
