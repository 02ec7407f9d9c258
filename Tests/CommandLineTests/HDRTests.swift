import Foundation
import TestSupport
import Testing

/// A picture in PQ, from the list to the file.
@Suite(.timeLimit(.minutes(10))) struct HDRTests {
    private func write(_ output: String, to folder: TemporaryFolder) throws {
        let images = Repository.root.appendingPathComponent("Tests/ReportedImages").path
        try folder.write(
            """
            {"sources": [{"urls": ["file://\(images)/png-cicp-pq.png"]}], "network": {"fileRoots": ["\(images)"]},
             "outputs": [{"format": "png", "path": "{stem}.png"\(output)}]}
            """,
            to: "job.json"
        )
    }

    private func run(_ folder: TemporaryFolder, _ command: [String]) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", command, in: folder.path)
    }

    @Test("it is refused with the remedy, which helps, and its item says so")
    func tonemaps() async throws {
        let folder = try TemporaryFolder()
        try write("", to: folder)
        let refused = try await run(folder, ["run", "job.json"])
        #expect(refused.exit != 0)
        let reason = try await run(folder, ["explain", "job.json", "png-cicp-pq.png"])
        #expect(reason.output.contains("Set \"hdr\": \"tonemap\""), "\(reason.output)")

        try write(#", "hdr": "tonemap""#, to: folder)
        let made = try await run(folder, ["run", "job.json"])
        #expect(made.exit == 0, "\(made.output)\(made.errors)")
        let explained = try await run(folder, ["explain", "job.json", "png-cicp-pq.png"])
        #expect(
            explained.output.contains("warning: The picture is made for HDR screens"),
            "\(explained.output)"
        )
        let again = try await run(folder, ["run", "job.json", "--json"])
        #expect(again.exit == 0 && !again.output.contains("item_finished"), "\(again.output)")
    }
}
