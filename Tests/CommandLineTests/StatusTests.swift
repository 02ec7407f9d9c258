import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `status`: never run, after a run, while a run goes on in another process, and followed to its end.
@Suite(.timeLimit(.minutes(10))) struct StatusTests {
    private static func manifest(_ address: String, items: Int) -> String {
        let urls = (0..<items).map { "\"\(address)/\($0).png\"" }.joined(separator: ",")
        return """
            {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"rate": "1000/s"}}
            """
    }

    @Test func isNeverRunAtFirst() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest("http://127.0.0.1:1", items: 1), to: "job.json")
        for words in [["status", "job.json"], ["status", "job.json", "--watch"]] {
            let status = try await Program.run("nuke-batch", words, in: folder.path)
            #expect(status.exit == 0 && status.output == "never run\n", "\(status.errors)")
        }
        let json = try await Program.run("nuke-batch", ["status", "job.json", "--json"], in: folder.path)
        let object = try #require(try ToldJob.objects(json).first)
        let keys = [
            "eta", "failures", "items", "rate", "runs", "shard", "shards", "shortfalls", "skips", "slowest",
            "states",
        ]
        #expect(object.keys.sorted() == keys)
        #expect(object["items"] is NSNull && object["rate"] is NSNull)
        #expect((object["states"] as? [String: Int])?.count == 7)
    }

    /// The server holds the last item back until the run was seen from outside.
    @Test func followsARunOfAnotherProcess() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.path == "/29.png" { gate.wait() }
            return .data(
                (try? TestImages.tiny(Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0)) ?? Data()
            )
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(server.address, items: 30), to: "job.json")
        let run = try Program("nuke-batch", ["run", "job.json", "--quiet"], in: folder.path)
        _ = await server.requests(atLeast: 30)
        // All but the last are recorded soon: each look is another process, so this is no busy waiting.
        var seen: [String: Any] = [:]
        while (seen["states"] as? [String: Int])?["done"] != 29 {
            let status = try await Program.run(
                "nuke-batch",
                ["status", "job.json", "--json"],
                in: folder.path
            )
            seen = try #require(try ToldJob.objects(status).first)
        }
        #expect(try #require(seen["rate"] as? Double) > 0)
        #expect(try #require(seen["eta"] as? Double) > 0)
        let current = try #require((seen["runs"] as? [[String: Any]])?.first)
        #expect(current["isGoingOn"] as? Bool == true && current["exit"] is NSNull)
        let text = try await Program.run("nuke-batch", ["status", "job.json"], in: folder.path)
        #expect(text.output.contains("running (process") && text.output.contains("ETA"), "\(text.output)")

        let lines = Lines()
        let watch = try Program("nuke-batch", ["status", "job.json", "--watch"], in: folder.path) {
            lines.add($0)
        }
        await lines.first()
        gate.open()
        #expect(await run.wait().exit == 0)
        let watched = await watch.wait()
        #expect(watched.exit == 0)
        #expect(watched.lines.first?.hasPrefix("29/30") == true, "\(watched.output)")
        #expect(
            watched.output.contains("30 done") && watched.output.contains("exit 0  took"),
            "\(watched.output)"
        )
    }

    @Test func followsAllPartitionsUntilTheirLastRunEnds() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .status(404)
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(server.address, items: 24), to: "job.json")
        let runs = try (1...2).map { number in
            let words = ["run", "job.json", "--quiet", "--shard", "\(number)/2"]
            return try Program("nuke-batch", words, in: folder.path)
        }
        let words = ["status", "job.json", "--all-shards"]
        // Each look is another process, so this is no busy waiting.
        var (active, items) = (0, 0)
        while active < 2 || items < 24 {
            let status = try await Program.run("nuke-batch", words + ["--json"], in: folder.path)
            let object = try #require(try ToldJob.objects(status).first)
            let shards = try #require(object["shards"] as? [[String: Any]])
            let last = shards.compactMap { ($0["runs"] as? [[String: Any]])?.first }
            active = last.count { $0["isGoingOn"] as? Bool == true }
            items = object["items"] as? Int ?? 0
        }
        let lines = Lines()
        let watch = try Program("nuke-batch", words + ["--watch"], in: folder.path) { lines.add($0) }
        await lines.first()
        gate.open()
        for run in runs { #expect(await run.wait().exit == 1) }
        let watched = await watch.wait()
        #expect(watched.exit == 0 && watched.lines.first?.hasPrefix("0/24") == true, "\(watched.output)")
        let ends = watched.lines.filter { $0.hasPrefix("shard ") }
        #expect(ends.count == 2 && ends.allSatisfy { $0.contains("exit 1") }, "\(watched.output)")
    }

    @Test func tellsADeadRunFromOneThatGoesOn() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .status(404)
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.manifest(server.address, items: 2), to: "job.json")
        let run = try Program("nuke-batch", ["run", "job.json", "--quiet"], in: folder.path)
        _ = await server.requests(atLeast: 1)
        run.signal(SIGKILL)
        _ = await run.wait()
        gate.open()
        let status = try await Program.run("nuke-batch", ["status", "job.json"], in: folder.path)
        #expect(status.output.contains("ended uncleanly"), "\(status.output)")
    }
}

/// Waits for the first line of a program.
private final class Lines: Sendable {
    private let stream = AsyncStream<String>.makeStream()

    func add(_ line: String) {
        stream.continuation.yield(line)
    }

    func first() async {
        for await _ in stream.stream { return }
    }
}
