import Foundation
import Imaging
import TestSupport
import Testing

/// A JPEG with a gain map, from the list to the files.
@Suite(.timeLimit(.minutes(10))) struct GainMapTests {
    private func run(_ folder: TemporaryFolder, _ command: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", command, in: folder.path)
    }

    @Test("the map is kept where the output says so, and the item tells where")
    func keepsMaps() async throws {
        let folder = try TemporaryFolder()
        let seeds = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds").path
        try folder.write(
            """
            {"sources": [{"urls": ["file://\(seeds)/gain-map.jpg"]}], "network": {"fileRoots": ["\(seeds)"]},
             "destination": "out", "processors": [{"resize": {"width": 24}}],
             "outputs": [
              {"name": "kept", "format": "jpeg", "hdr": "keep", "path": "kept.jpg", "metadata": "keep"},
              {"name": "plain", "format": "jpeg", "path": "plain.jpg", "metadata": "keep"},
              {"name": "webp", "format": "webp", "hdr": "keep", "path": "kept.webp"}
             ]}
            """,
            to: "job.json"
        )
        let made = try await run(folder, "run", "job.json")
        #expect(made.exit == 0, "\(made.output)\(made.errors)")
        func map(_ name: String) throws -> GainMapHeader? {
            try ImageHeader.read(Data(contentsOf: URL(fileURLWithPath: folder.path("out/\(name)")))).gainMap
        }
        #expect(try map("kept.jpg")?.form == .iso)
        #expect(try map("plain.jpg") == nil && map("kept.webp") == nil)
        let explained = try await run(folder, "explain", "job.json", "gain-map.jpg")
        #expect(
            explained.output.contains("gain map: iso; kept in kept; dropped from plain (hdr), webp (format)"),
            "\(explained.output)"
        )
        let again = try await run(folder, "run", "job.json", "--json")
        #expect(again.exit == 0 && !again.output.contains("item_finished"), "\(again.output)")
    }
}
