import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Cached originals of which the cache still knows, but whose files are gone or damaged.
@Suite(.timeLimit(.minutes(10))) struct LostOriginalsTests {
    /// More than may wait for a processor at once.
    private static let count = 60

    enum Loss: CaseIterable {
        case removed, cut
    }

    @Test("however many are lost at once, they are loaded again", arguments: Loss.allCases)
    func many(loss: Loss) async throws {
        let job = try JobFolder()
        let server = try LoopbackServer.tinyPictures()
        let urls = (0..<Self.count).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            """
            "sources": [{"urls": [\(urls)]}],
            "loading": {"rate": "10000/s", "burst": 10000, "concurrency": 16, "perHost": 16},
            "limits": {"processing": 1},
            "outputs": [{"format": "png", "path": "{stem}.{ext}"}]
            """
        )
        try await job.run()
        let made = job.files()
        #expect(made.count == Self.count && server.requests.count == Self.count)
        var lost = 0
        for name in job.files(in: "cache") where !name.hasPrefix("index.") && name.contains("/") {
            let path = job.folder.path("cache/\(name)")
            switch loss {
            case .removed: try FileManager.default.removeItem(atPath: path)
            case .cut: #expect(truncate(path, 20) == 0)
            }
            lost += 1
        }
        #expect(lost == Self.count)
        try FileManager.default.removeItem(atPath: job.folder.path("out"))
        // It would wait forever; as it is, the limit of time is not reached.
        try await job.run("--fresh", "--max-duration", "60s")
        #expect(job.files() == made && server.requests.count == 2 * Self.count)
    }
}
