import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@Suite struct ItemListingTests {
    @Test(
        "what may be secret is hidden, and a data URL is cut",
        arguments: [
            ("https://a.example/1.jpg", "https://a.example/1.jpg"),
            ("https://a.example/1.jpg?token=SECRET&x=1", "https://a.example/1.jpg?…"),
            ("https://a.example/?", "https://a.example/?…"),
            (
                "data:image/png;base64," + String(repeating: "A", count: 100),
                "data:image/png;base64,AAAAAAAAAAAAAAAAAA"
            ),
            ("https://me:SECRET@a.example/1.jpg", "https://redacted@a.example/1.jpg"),
            ("http://SECRET@[::1]?SECRET@x", "http://redacted@[::1]?…"),
            ("https://a.example/@b:c@d/1.jpg", "https://a.example/@b:c@d/1.jpg"),
            ("data:,a", "data:,a"), ("file:///a/b.jpg", "file:///a/b.jpg"),
        ]
    )
    func shown(url: String, expected: String) {
        #expect(ItemListing.shown(url) == expected)
    }

    @Test("priorities have the manifest's names, and a number of a later release the nearest")
    func priorities() {
        let names = (-1...5).map { ItemListing.name(ofPriority: $0) }
        #expect(names == ["veryLow", "veryLow", "low", "normal", "high", "veryHigh", "veryHigh"])
    }

    @Test("all keys are present, null if unknown")
    func keys() async throws {
        let job = try PlannedJob(items: 2)
        try await job.run { store, item in
            if item.ordinal == 1 {
                try await job.finish(item, in: store)
            } else {
                try await job.fail(item, in: store)
            }
        }
        let store = try job.open()
        defer { store.close() }
        var objects: [[String: Any]] = []
        try store.reader.forEachItem { record in
            let data = try JSONEncoder().encode(ItemListing(record))
            objects.append(try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]))
        }
        for object in objects {
            #expect(
                object.keys.sorted() == [
                    "attempts", "error", "facts", "id", "index", "message", "outputs", "priority", "state",
                    "twin", "url",
                ]
            )
        }
        let (done, failed) = (objects[0], objects[1])
        #expect(
            done["state"] as? String == "done" && done["error"] is NSNull && done["attempts"] as? Int == 1
        )
        #expect(failed["state"] as? String == "failed" && failed["error"] as? String == "http_404")
        #expect(failed["message"] as? String == "the server answered with status 404")
        let output = try #require((done["outputs"] as? [[String: Any]])?.first)
        #expect(
            output.keys.sorted() == [
                "bytes", "format", "height", "name", "path", "quality", "reason", "sha256", "shortfall",
                "ssimulacra2", "state", "width",
            ]
        )
        #expect(output["path"] as? String == "small/1.jpg" && output["reason"] is NSNull)
        #expect(output["width"] as? Int == 320 && output["height"] as? Int == 213)
    }

    @Test("the listing of an item that ends sorts its outputs by name")
    func finished() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            let outputs = ["wide", "small", "tiny"].map {
                OutputRecord(name: $0, recipe: "r", state: .skipped, reason: "exists")
            }
            let listing = ItemListing(
                item,
                state: .skipped,
                error: nil,
                message: "exists",
                outputs: outputs,
                facts: nil
            )
            #expect(listing.outputs.map(\.name) == ["small", "tiny", "wide"])
            #expect(listing.state == "skipped" && listing.index == 1 && listing.priority == "normal")
            #expect(listing.outputs.allSatisfy { $0.reason == "exists" && $0.state == "skipped" })
            try await store.putBack(item)
        }
    }

    @Test("times are RFC 3339 in UTC with milliseconds")
    func times() {
        #expect(Timestamp.text(0) == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp.text(1_700_000_000_123) == "2023-11-14T22:13:20.123Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1.5)) == "1970-01-01T00:00:01.500Z")
    }
}
