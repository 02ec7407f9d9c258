import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// `limits`, and what may be told on the command line instead.
@Suite(.timeLimit(.minutes(10))) struct LimitSettingTests {
    @Test(
        "an image beyond a limit fails as such, and the others are made",
        arguments: [
            (#""maxPixels": 200000"#, ["limits", "-"]), (#""maxPixels": "1MP""#, ["-", "-"]),
            (#""maxDimension": 600"#, ["limits", "-"]), (#""maxDimension": 640"#, ["-", "-"]),
            (#""memory": "300KB""#, ["limits", "-"]), (#""memory": "100MB""#, ["-", "-"]),
            (#""maxFrames": 1"#, ["-", "-"]), (#""processing": 1"#, ["-", "-"]),
        ]
    )
    func limits(limits: String, expected: [String]) async throws {
        let job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "a.jpg")
        try job.folder.write(try TestImages.tiny(1), to: "b.png")
        try job.write(
            #""sources": [{"urls": ["a.jpg", "b.png"]}], "outputs": [{"format": "png"}], "limits": {\#(limits)}"#
        )
        try await job.run(exit: expected.contains("limits") ? 1 : 0)
        #expect(try await job.errors() == expected)
    }

    @Test("--memory takes the place of limits.memory")
    func memory() async throws {
        let job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg"), to: "a.jpg")
        try job.write(
            #""sources": [{"urls": ["a.jpg"]}], "outputs": [{"format": "png"}], "limits": {"memory": "300KB"}"#
        )
        try await job.run("--memory", "300KB", exit: 1)
        #expect(try await job.errors() == ["limits"])
        #expect(try await job.nukeBatch("retry", "job.json", "--memory", "100MB").exit == 0)
    }

    @Test(
        "after maxDuration no new items are taken, what waits is given up, and the next run goes on",
        arguments: [true, false]
    )
    func maxDuration(isOption: Bool) async throws {
        let server = try LoopbackServer.tinyPictures()
        let urls = (0..<40).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        let job = try JobFolder()
        let limits = isOption ? "" : #", "limits": {"maxDuration": "200ms"}"#
        try job.write(
            #""sources": [{"urls": [\#(urls)]}], "loading": {"rate": "2/s", "burst": 1}\#(limits)"#
        )
        let words = isOption ? ["--max-duration", "200ms"] : []
        // A slow machine may have no time left for the first request: the next run goes on.
        repeat {
            let run = try await Program.run("nuke-batch", ["run", "job.json"] + words, in: job.folder.path)
            try #require(
                run.exit == 5 && run.output.contains("to continue: nuke-batch run job.json"),
                "\(run.output)"
            )
        } while server.requests.isEmpty
        #expect(server.requests.count < 40)
        try job.write(#""sources": [{"urls": [\#(urls)]}], "loading": {"rate": "900/s", "burst": 100}"#)
        try await job.run()
        // At most the one that was on its way is asked for twice.
        #expect(server.requests.count <= 41 && Set(server.requests.map(\.path)).count == 40)
    }

    @Test("maxDuration also ends the reading of a list that has no end")
    func endlessList() async throws {
        let job = try JobFolder()
        let database = try Connection(path: job.folder.path("products.db"))
        try database.execute(
            """
            CREATE VIEW products AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'a' || i AS url FROM n
            """
        )
        try job.write(#""sources": [{"sqlite": "products.db", "query": "select * from products"}]"#)
        let run = try await job.run("--max-duration", "500ms", exit: 5)
        #expect(run.output.contains("stopped: the lists were not read to their end"))
        #expect(run.output.contains("to continue: nuke-batch run job.json"))
        #expect(try await job.items().isEmpty)
    }
}
