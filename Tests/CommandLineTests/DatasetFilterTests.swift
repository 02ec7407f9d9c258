import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The filters of `dataset`: `minWidth`, `minHeight`, `maxAspect` and `minBytes`, through the real program.
@Suite(.timeLimit(.minutes(10))) struct DatasetFilterTests {
    /// The sizes of the originals.
    private static let sizes = [(64, 48), (20, 48), (64, 12), (90, 30), (64, 47)]

    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let images = try Self.sizes.map { try TestImages.gradient(width: $0.0, height: $0.1) }
        server = try LoopbackServer { request in
            switch Int(request.path.dropFirst()) {
            case let number? where images.indices.contains(number): .data(images[number])
            // A file that no decoder has to see.
            default: .data(Data("GIF89a".utf8))
            }
        }
    }

    private func run(_ filters: String, _ words: String...) async throws -> Program.Outcome {
        let urls = (0...Self.sizes.count).map { "\"\(server.url("/\($0)"))\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "dataset": {"index": "index.jsonl"\(filters)},
             "outputs": [{"processors": [{"resize": {"width": 8}}], "format": "png", "path": "{index}.{ext}"}],
             "network": {"allow": ["127.0.0.1"]}, "cache": {"directory": "cache"}}
            """,
            to: "job.json"
        )
        return try await Program.run("nuke-batch", words, in: folder.path)
    }

    private var made: [String] {
        get throws {
            let index = try String(contentsOfFile: folder.path("out/index.jsonl"), encoding: .utf8)
            return try index.split(separator: "\n").map { line in
                let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(row?["path"] as? String)
            }
        }
    }

    @Test("each leaves out its items, which status counts by reason, and loading them again is not needed")
    func filters() async throws {
        let all = #", "minWidth": 32, "minHeight": 24, "maxAspect": 2, "minBytes": 40"#
        let first = try await run(all, "run", "job.json")
        #expect(first.exit == 0 && first.output.contains("2 made"), "\(first.output)\(first.errors)")
        #expect(try made == ["1.png", "5.png"])
        let status = try await run(all, "status", "job.json")
        for reason in [
            "narrower than 32 pixels", "lower than 24 pixels", "longer than 2.0 times its shorter side",
        ] {
            #expect(status.output.contains("\n  skipped as \(reason): 1\n"), "\(status.output)")
        }
        #expect(status.output.contains("\n  skipped as smaller than 40 bytes: 1\n"), "\(status.output)")
        let explained = try await run(all, "explain", "job.json", server.url("/1").absoluteString)
        #expect(explained.output.contains("filters of `dataset`"), "\(explained.output)")

        // Without one filter, only its item is made; the others stay.
        let looser = #", "minWidth": 32, "minHeight": 24, "minBytes": 40"#
        let second = try await run(looser, "run", "job.json")
        #expect(second.exit == 0 && second.output.contains("1 made"), "\(second.output)\(second.errors)")
        #expect(try made == ["1.png", "4.png", "5.png"])

        // A stricter one takes an item out of the index, and its file is orphaned.
        let stricter = #", "minWidth": 32, "minHeight": 48, "minBytes": 40"#
        let third = try await run(stricter, "run", "job.json")
        #expect(third.exit == 0, "\(third.output)\(third.errors)")
        #expect(try made == ["1.png"])
        let orphans = try await run(stricter, "prune", "job.json", "--json")
        #expect(orphans.lines.count == 2, "\(orphans.output)")
        #expect(server.requests.count == Self.sizes.count + 2, "six originals and a robots.txt")
    }

    @Test("an output's own conditions hold beside them, and the stricter one counts")
    func withConditions() async throws {
        try folder.write(
            """
            {"sources": [{"urls": ["\(server.url("/0"))", "\(server.url("/1"))"]}], "dataset": {"minWidth": 16},
             "outputs": [
                {"name": "a", "when": {"minWidth": 65}, "format": "png", "path": "a/{index}.{ext}"},
                {"name": "b", "when": {"minWidth": 2, "maxAspect": 2}, "format": "png", "path": "b/{index}.{ext}"}],
             "network": {"allow": ["127.0.0.1"]}, "cache": {"directory": "cache"}}
            """,
            to: "job.json"
        )
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 0 && run.output.contains("1 made"), "\(run.output)\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.path("out/b/1.png")))
    }

    @Test("a filter that can match nothing is refused with its place")
    func wrong() async throws {
        let outcome = try await run(#", "maxAspect": 0.5"#, "validate", "job.json")
        #expect(
            outcome.exit == 2 && outcome.output.contains("dataset.maxAspect"),
            "\(outcome.output)\(outcome.errors)"
        )
    }
}
