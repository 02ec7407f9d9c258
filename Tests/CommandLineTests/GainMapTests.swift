import Foundation
import Imaging
import TestSupport
import Testing

/// Pictures with a gain map, from the list to the files.
@Suite(.timeLimit(.minutes(10))) struct GainMapTests {
    private func run(_ folder: TemporaryFolder, _ command: String...) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", command, in: folder.path)
    }

    @Test("the map is kept where the output says so, and the item tells where")
    func keepsMaps() async throws {
        let folder = try TemporaryFolder()
        let seeds = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds").path
        func write(_ more: String) throws {
            try folder.write(
                """
                {"sources": [{"urls": ["file://\(seeds)/gain-map.jpg"]}], "network": {"fileRoots": ["\(seeds)"]},
                 "destination": "out", "processors": [{"resize": {"width": 24}}],
                 "outputs": [
                  {"name": "kept", "format": "jpeg", "hdr": "keep", "path": "kept.jpg", "metadata": "keep"},
                  {"name": "plain", "format": "jpeg", "path": "plain.jpg", "metadata": "keep"}\(more)
                 ]}
                """,
                to: "job.json"
            )
        }
        try write(#", {"name": "webp", "format": "webp", "hdr": "keep", "path": "kept.webp"}"#)
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
        // Another manifest forgets its former output, and no more than that; a new one is told beside those that stay.
        try write("")
        #expect(try await run(folder, "run", "job.json").exit == 0)
        let fewer = try await run(folder, "explain", "job.json", "gain-map.jpg")
        #expect(
            fewer.output.contains("gain map: iso; kept in kept; dropped from plain (hdr)\n"),
            "\(fewer.output)"
        )
        try write(#", {"name": "png", "format": "png", "hdr": "keep", "path": "kept.png"}"#)
        #expect(try await run(folder, "run", "job.json").exit == 0)
        let more = try await run(folder, "explain", "job.json", "gain-map.jpg")
        #expect(
            more.output.contains("gain map: iso; kept in kept; dropped from plain (hdr), png (format)"),
            "\(more.output)"
        )
    }

    /// An AVIF's map is read, and written, where libavif is 1.2 or later; the item tells of what it has seen.
    @Test("maps go from JPEG to AVIF and back", .enabled(if: ImageEncoder.formats.contains(.avif)))
    func keepsMapsInAVIF() async throws {
        let folder = try TemporaryFolder()
        let seeds = Repository.root.appendingPathComponent("Tests/Fuzzing/seeds").path
        try folder.write(
            """
            {"sources": [{"urls": ["file://\(seeds)/gain-map.jpg", "file://\(seeds)/gain-map.avif"]}],
             "network": {"fileRoots": ["\(seeds)"]}, "destination": "out",
             "outputs": [
              {"name": "avif", "format": "avif", "hdr": "keep", "path": "{index}.{ext}"},
              {"name": "jpeg", "format": "jpeg", "hdr": "keep", "path": "{index}.{ext}"},
              {"name": "same", "hdr": "keep", "format": "same", "path": "same/{index}.{ext}"}
             ]}
            """,
            to: "job.json"
        )
        let made = try await run(folder, "run", "job.json")
        #expect(made.exit == 0, "\(made.output)\(made.errors)")
        let areKept = EncodingFormat.avif().keepsGainMaps
        func hasMap(_ name: String) throws -> Bool {
            try ImageHeader.read(Data(contentsOf: URL(fileURLWithPath: folder.path("out/\(name)")))).gainMap
                != nil
        }
        #expect(try hasMap("1.jpg") && hasMap("same/1.jpg"))
        for name in ["1.avif", "2.avif", "2.jpg", "same/2.avif"] {
            #expect(try hasMap(name) == areKept, "\(name)")
        }
        let ofJPEG = try await run(folder, "explain", "job.json", "gain-map.jpg")
        let told = areKept ? "kept in avif, jpeg, same" : "kept in jpeg, same; dropped from avif (library)"
        #expect(ofJPEG.output.contains("gain map: iso; \(told)"), "\(ofJPEG.output)")
        let ofAVIF = try await run(folder, "explain", "job.json", "gain-map.avif")
        #expect(
            ofAVIF.output.contains("gain map: iso; kept in avif, jpeg, same") == areKept,
            "\(ofAVIF.output)"
        )
        #expect(ofAVIF.output.contains("gain map") == areKept, "\(ofAVIF.output)")
    }
}
