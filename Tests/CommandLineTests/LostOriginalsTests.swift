import CacheTrials
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

    @Test("originals that cannot be opened for want of descriptors stay in the cache")
    func noDescriptors() async throws {
        let job = try JobFolder()
        let server = try LoopbackServer.tinyPictures()
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/1.png", "\(server.address)/2.png"]}],
            "outputs": [{"format": "original", "path": "{stem}.{ext}"}]
            """
        )
        try await job.run()
        let library = try Faults.build(in: job.folder.path)
        // In a folder of its own, unlike the index.
        let file = try #require(job.files(in: "cache").first { $0.contains("/") })
        let faults = [
            "LD_PRELOAD": library, "NB_FAIL": "open", "NB_ERRNO": "\(EMFILE)", "NB_FAIL_COUNT": "1000000",
            "NB_FAIL_PATH": job.folder.path("cache/\(file.prefix(3))"),
        ]
        let words = ["run", "job.json", "--fresh", "--offline"]
        let failed = try await Program.run("nuke-batch", words, in: job.folder.path, environment: faults)
        #expect(failed.exit != 0, "the control: it could not be opened")
        try await job.run("--fresh", "--offline")
        #expect(job.files() == ["1.png", "2.png"] && server.requests.count == 2)
    }
}
