import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `export`: everything that is known of the items and their outputs, as CSV and as lines of JSON.
@Suite(.timeLimit(.minutes(10))) struct ExportTests {
    @Test func jsonHasEverythingUnderOneShape() async throws {
        let job = try await ToldJob()
        let export = try await job.nukeBatch(["export", "job.json", "--json"])
        #expect(export.exit == 0, "\(export.errors)")
        let items = try ToldJob.objects(export)
        #expect(items.compactMap { $0["index"] as? Int } == [1, 2, 3, 4])
        let keys = [
            "attempts", "cacheKey", "error", "facts", "id", "index", "last", "location", "message",
            "originalSha256", "outputs", "priority", "state", "updated", "url",
        ]
        #expect(items.allSatisfy { $0.keys.sorted() == keys })

        let first = items[0]
        let sha256 = try #require(first["originalSha256"] as? String)
        #expect(sha256.count == 64)
        #expect(first["cacheKey"] as? String == "\(job.server.address)/rocket.jpg?signature=SECRET")
        let last = try #require(first["last"] as? [String: Any])
        #expect(last["status"] as? Int == 200)
        #expect(last["bytes"] as? Int == (try Repository.photo("rocket.jpg")).count)
        let outputs = try #require(first["outputs"] as? [[String: Any]])
        #expect(outputs.compactMap { $0["state"] as? String } == ["done", "skipped"])
        let file = try Data(contentsOf: URL(fileURLWithPath: job.folder.path("out/small/1.jpg")))
        #expect(outputs[0]["bytes"] as? Int == file.count)
        #expect(outputs[0]["width"] as? Int == 120)
        #expect((outputs[0]["encoder"] as? String)?.contains("jpeg") == true)
        #expect(outputs[1]["reason"] as? String == "narrower than 5000 pixels")
        #expect(outputs.allSatisfy { $0.count == 14 })

        #expect(items[2]["error"] as? String == "http_404")
        #expect(items[2]["facts"] is NSNull && items[2]["originalSha256"] is NSNull)
        #expect((items[2]["last"] as? [String: Any])?["status"] as? Int == 404)
        #expect(
            (items[1]["facts"] as? [String: Any])?["size"] as? [String: Int] == ["width": 600, "height": 400]
        )
    }

    /// Another reader of RFC 4180 sees the same values as the JSON tells.
    @Test func csvIsReadBackByAnotherReader() async throws {
        let job = try await ToldJob()
        let csv = try await job.nukeBatch(["export", "job.json"])
        #expect(csv.exit == 0, "\(csv.errors)")
        #expect(csv.output.hasSuffix("\r\n"))
        try job.folder.write(csv.output, to: "export.csv")
        let reader =
            "import csv, json; print(json.dumps(list(csv.reader(open('export.csv', newline=''), strict=True))))"
        let read = try await Program(path: "/usr/bin/env", ["python3", "-c", reader], in: job.folder.path)
            .wait()
        try #require(read.exit == 0, "\(read.errors)")
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [[String]]
        )
        #expect(rows.count == 5)
        #expect(Set(rows.map(\.count)) == [rows[0].count])
        let item = Dictionary(uniqueKeysWithValues: zip(rows[0], rows[4]))
        #expect(item["id"] == ToldJob.hostileID)
        #expect(item["facts.size.width"] == "600")
        #expect(item["outputs.small.path"] == "small/4.jpg")
        #expect(item["outputs.wide.reason"] == "narrower than 5000 pixels")
        #expect(item["last.status"] == "200" && item["error"] == "")
        #expect(rows[0].contains("facts.exif.make") && rows[0].contains("facts.location.latitude"))

        let safe = try await job.nukeBatch(["export", "job.json", "--formula-safe"])
        #expect(safe.output.contains("\"'=<b>\"\"x\"\"&,\""))
        #expect(!csv.output.contains("'="))
    }

    @Test func selectsItems() async throws {
        let job = try await ToldJob()
        let failed = try await job.nukeBatch(["export", "job.json", "--json", "--state", "failed"])
        #expect(try ToldJob.objects(failed).compactMap { $0["index"] as? Int } == [3])
        let unknown = try await job.nukeBatch(["export", "job.json", "--state", "broken"])
        #expect(unknown.exit == 2 && unknown.errors.contains("failed, quarantined"), "\(unknown.errors)")
    }
}
