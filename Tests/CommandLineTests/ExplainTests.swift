import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `explain`: the life of one item, found by its URL, its id or a path.
@Suite(.timeLimit(.minutes(10))) struct ExplainTests {
    private func explain(_ job: ToldJob, _ what: String) async throws -> [[String: Any]] {
        let told = try await job.nukeBatch(["explain", "job.json", what, "--json"])
        try #require(told.exit == 0, "\(told.errors)")
        return try ToldJob.objects(told)
    }

    private func index(_ object: [String: Any]) -> Int? {
        (object["item"] as? [String: Any])?["index"] as? Int
    }

    @Test func isFoundByURLIdPathAndPart() async throws {
        let job = try await ToldJob()
        let url = "\(job.server.address)/rocket.jpg?signature=SECRET"
        let ways = [
            url, "sku-1", "small/1.jpg", "out/small/1.jpg", job.folder.path("out/small/1.jpg"), "rocket",
        ]
        for way in ways {
            let found = try await explain(job, way)
            #expect(found.compactMap(index) == [1], "\(way)")
        }
        let several = try await explain(job, job.server.address)
        #expect(several.compactMap(index) == [1, 2, 3, 4])
        let listed = try await job.nukeBatch(["explain", "job.json", job.server.address])
        #expect(listed.lines.count == 5 && listed.output.contains("4 items match"))
        #expect(!listed.output.contains("SECRET"))

        let none = try await job.nukeBatch(["explain", "job.json", "nothing-like-it"])
        #expect(none.exit == 2 && none.errors.contains("nothing-like-it"))
    }

    @Test func tellsOfARedirectWithoutItsSecrets() async throws {
        let job = try await ToldJob()
        let item = try #require(try await explain(job, "\(job.server.address)/moved.jpg").first)
        let requests = try #require(item["requests"] as? [[String: Any]])
        let sent = requests.compactMap { $0["request"] as? [String: Any] }
        #expect(sent.compactMap { $0["status"] as? Int } == [302, 200])
        #expect(sent.compactMap { $0["redirects"] as? Int } == [0, 1])
        let fields = requests.flatMap { $0["responseHeaders"] as? [String] ?? [] }
        #expect(fields.contains { $0.hasPrefix("Location:") && $0.hasSuffix("token=redacted") }, "\(fields)")
        let original = try #require(item["original"] as? [String: Any])
        #expect(original["isCached"] as? Bool == true && original["source"] as? String == "network")
        let outputs = try #require(item["outputs"] as? [[String: Any]])
        #expect(outputs.compactMap { $0["state"] as? String } == ["done", "skipped"])
        #expect((outputs[1]["why"] as? String)?.contains("`when`") == true)
        #expect((item["next"] as? [String]) == [])

        let text = try await job.nukeBatch(["explain", "job.json", "moved.jpg"])
        #expect(text.exit == 0)
        for part in [
            "redirected to GET", "302", "first byte", "small/2.jpg", "the original is cached", "HTTP 200",
        ] {
            #expect(text.output.contains(part), "\(part)\n\(text.output)")
        }
        #expect(!text.output.contains("SECRET"))
    }

    @Test func tellsApartItemsWhoseURLsDifferOnlyInWhatIsHidden() async throws {
        let job = try await ToldJob()
        let item = try #require(try await explain(job, "sku-1").first)
        let requests = try #require(item["requests"] as? [[String: Any]])
        #expect(requests.count == 1)
        let text = try await job.nukeBatch(["explain", "job.json", "sku-1"])
        #expect(text.output.contains("rocket.jpg?…") && !text.output.contains("SECRET"), "\(text.output)")
    }

    @Test func saysWhyItFailedAndWhatToDo() async throws {
        let job = try await ToldJob()
        let text = try await job.nukeBatch(["explain", "job.json", "missing.jpg"])
        for part in ["failed since", "http_404", "Correct the URL", "nuke-batch retry job.json --url"] {
            #expect(text.output.contains(part), "\(part)\n\(text.output)")
        }
        let item = try #require(try await explain(job, "missing.jpg").first)
        let outputs = try #require(item["outputs"] as? [[String: Any]])
        #expect(outputs.count == 2)
        #expect(outputs.allSatisfy { $0["state"] is NSNull && $0["isWanted"] as? Bool == true })
    }

    @Test func noticesAFileThatIsGone() async throws {
        let job = try await ToldJob()
        try FileManager.default.removeItem(atPath: job.folder.path("out/small/2.jpg"))
        let item = try #require(try await explain(job, "small/2.jpg").first)
        let output = try #require((item["outputs"] as? [[String: Any]])?.first)
        #expect((output["why"] as? String)?.contains("is missing") == true)
        #expect((item["next"] as? [String])?.first?.contains("verify") == true)
    }

    @Test func knowsItemsThatLeftTheManifest() async throws {
        let job = try await ToldJob()
        let path = job.folder.path("job.json")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try job.folder.write(text.replacing("\"\(job.server.address)/moved.jpg\",", with: ""), to: "job.json")
        let run = try await job.nukeBatch(["run", "job.json"])
        #expect(run.exit == 1)
        let item = try #require(try await explain(job, "small/2.jpg").first)
        #expect(item["isListed"] as? Bool == false)
        #expect((item["why"] as? String)?.contains("no longer lists it") == true)
    }
}
