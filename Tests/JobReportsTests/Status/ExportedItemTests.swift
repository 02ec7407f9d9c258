import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import JobReports

@Suite struct ExportedItemTests {
    private func exported() async throws -> (job: PlannedJob, items: [ExportedItem]) {
        let job = try PlannedJob(items: 2, more: #", "facts": ["size", "exif"]"#)
        try await job.run { store, item in
            if item.ordinal == 1 {
                var result = try job.done(item)
                result.facts = #"{"exif": null, "size": {"height": 400, "width": 600}}"#
                try await store.record(result, of: item)
            } else {
                try await job.fail(item, in: store)
            }
        }
        var items: [ExportedItem] = []
        try JobState(job.manifest).forEachExport(ItemSelection()) { items.append($0) }
        return (job, items)
    }

    @Test("a row has a value for each column, by its name")
    func rows() async throws {
        let (job, items) = try await exported()
        let columns = ExportColumns(job.manifest)
        #expect(Set(columns.names).count == columns.names.count)
        let rows = items.map { Dictionary(uniqueKeysWithValues: zip(columns.names, columns.values(of: $0))) }
        #expect(items.allSatisfy { columns.values(of: $0).count == columns.names.count })
        let done = rows[0]
        for (name, value) in [
            ("index", "1"), ("id", ""), ("url", "https://a.example/1.jpg"),
            ("location", "sources[0].urls[0]"),
            ("state", "done"), ("priority", "normal"), ("attempts", "1"), ("error", ""), ("message", ""),
            ("cacheKey", "https://a.example/1.jpg"), ("originalSha256", PlannedJob.originalSHA256),
            ("last.number", "1"), ("last.run", "1"), ("last.outcome", "done"),
            ("last.started", "2023-11-14T22:13:20.000Z"), ("last.milliseconds", "25"), ("last.status", "200"),
            ("last.bytes", "1000"), ("facts.size.width", "600"), ("facts.size.height", "400"),
            ("facts.exif.make", ""),
            ("outputs.small.path", "small/1.jpg"), ("outputs.small.state", "done"),
            ("outputs.small.reason", ""),
            ("outputs.small.bytes", "17"), ("outputs.small.width", "320"), ("outputs.small.height", "213"),
            ("outputs.small.encoder", "libjpeg 9"),
        ] {
            #expect(done[name] == value, "\(name)")
        }
        #expect(done["outputs.small.sha256"]?.count == 64 && done["outputs.small.spec"]?.count == 64)
        let failed = rows[1]
        #expect(
            failed["state"] == "failed" && failed["error"] == "http_404" && failed["last.status"] == "404"
        )
        #expect(failed["message"] == "the server answered with status 404")
        #expect(
            failed["outputs.small.path"] == "" && failed["facts.size.width"] == "" && failed["cacheKey"] == ""
        )
    }

    @Test("JSON has all keys, of items and of outputs")
    func json() async throws {
        let items = try await exported().items
        let objects = try items.map { item in
            let data = try JSONEncoder().encode(item)
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
        #expect(objects.allSatisfy { $0.count == 15 })
        #expect(objects[0]["error"] is NSNull && objects[1]["originalSha256"] is NSNull)
        let output = try #require((objects[0]["outputs"] as? [[String: Any]])?.first)
        #expect(output.count == 14 && output["reason"] is NSNull)
        let last = try #require(objects[1]["last"] as? [String: Any])
        #expect(last.count == 7 && last["bytes"] is NSNull && last["outcome"] as? String == "failed")
    }

    @Test("the key of a URL with variables is not exported, since it holds their values")
    func variables() async throws {
        let folder = try ManifestFolder()
        let manifest = try folder.read(
            PlannedJob.manifest(["https://${HOST}/1.jpg"]),
            environment: ["HOST": "secret.example"]
        )
        let store = try JobStore(path: RunOptions().statePath(of: manifest))
        _ = try Planner(manifest, RunOptions(), loaded: LoadedSources()).plan(into: store)
        _ = try store.beginRun(version: "1")
        let item = try #require(try await store.claim(limit: 1).first)
        let result = ItemResult(
            .done,
            cacheKey: "https://secret.example/1.jpg",
            originalSHA256: PlannedJob.originalSHA256
        )
        try await store.record(result, of: item)
        store.close()
        var lines: [String] = []
        try JobState(manifest).forEachExport(ItemSelection()) { lines.append(JSONLine.text($0)) }
        #expect(lines.count == 1 && !lines[0].contains("secret") && lines[0].contains("${HOST}"), "\(lines)")
    }
}
