import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Testing

@testable import JobReports

@Suite struct RequestListingTests {
    private static let whole = RequestRecord(
        load: 7,
        started: 1_700_000_000_250,
        url: "https://a.example/1.jpg?token=redacted",
        status: 200,
        phases: .init(blocked: 1000, dns: 2000, connect: 3000, tls: 1500, wait: 4000, receive: 5500)
    ) {
        $0.redirects = 1
        $0.requestHeaders = "Accept: image/*\nX-A: b: c"
        $0.requestHeadBytes = 90
        $0.responseHeaders = "ETag: \"1\""
        $0.responseHeadBytes = 80
        $0.responseBodyBytes = 1234
        $0.protocolName = "HTTP/2"
        $0.address = "192.0.2.1"
        $0.isConnectionReused = false
    }
    private static let failed = RequestRecord(
        load: 8,
        started: 1_700_000_001_000,
        url: "https://a.example/2.jpg",
        status: nil,
        phases: .init(blocked: nil, dns: nil, connect: nil, tls: nil, wait: 0, receive: 0)
    ) { $0.error = "timeout" }

    private func state() async throws -> JobState {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            try await store.record([Self.whole, Self.failed])
            try await store.putBack(item)
        }
        return try JobState(job.manifest)
    }

    @Test("a request with its phases in milliseconds; TLS is a part of the connection")
    func listing() async throws {
        var listings: [RequestListing] = []
        try await state().forEachRequest { listings.append($0) }
        #expect(listings.map(\.load) == [7, 8] && listings.map(\.run) == [1, 1])
        let whole = listings[0]
        #expect(whole.started == "2023-11-14T22:13:20.250Z" && whole.method == "GET")
        #expect(whole.status == 200 && whole.bytes == 1234 && whole.redirects == 1)
        #expect(whole.protocol == "HTTP/2" && whole.address == "192.0.2.1" && whole.reused == false)
        #expect(whole.timings.blocked == 1 && whole.timings.dns == 2 && whole.timings.connect == 3)
        #expect(whole.timings.tls == 1.5 && whole.timings.wait == 4 && whole.timings.receive == 5.5)
        #expect(whole.milliseconds == 15.5)
        let failed = listings[1]
        #expect(failed.status == nil && failed.error == "timeout" && failed.reused == nil)
        #expect(failed.timings.blocked == nil && failed.milliseconds == 0)
    }

    @Test("JSON has all keys, null if unknown")
    func json() async throws {
        var objects: [[String: Any]] = []
        try await state().forEachRequest { listing in
            let data = Data(JSONLine.text(listing).utf8)
            objects.append((try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:])
        }
        #expect(objects.map(\.count) == [13, 13])
        #expect(objects[1]["status"] is NSNull && objects[0]["error"] is NSNull)
        #expect((objects[1]["timings"] as? [String: Any])?.count == 6)
    }

    @Test("the archive has an entry each, with headers and sizes")
    func archive() async throws {
        let data = try await state().networkArchive()
        let log = (try JSONSerialization.jsonObject(with: data) as? [String: Any])?["log"] as? [String: Any]
        let entries = try #require(log?["entries"] as? [[String: Any]])
        #expect(log?["version"] as? String == "1.2" && entries.count == 2)
        let request = try #require(entries[0]["request"] as? [String: Any])
        let headers = try #require(request["headers"] as? [[String: String]])
        #expect(headers.contains { $0["name"] == "X-A" && $0["value"] == "b: c" }, "\(headers)")
        let response = try #require(entries[0]["response"] as? [String: Any])
        #expect(response["status"] as? Int == 200 && response["headersSize"] as? Int == 80)
        #expect((log?["creator"] as? [String: Any])?["name"] as? String == "nuke-batch")
    }
}
