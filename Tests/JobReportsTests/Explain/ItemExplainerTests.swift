import Foundation
import JobFixtures
import JobManifest
import JobPlanning
import JobStorage
import Originals
import TestSupport
import Testing

@testable import JobReports

@Suite struct ItemExplainerTests {
    private func finished(_ count: Int = 3) async throws -> PlannedJob {
        let job = try PlannedJob(items: count)
        try await job.run { store, item in
            try await store.record([
                RequestRecord(
                    load: Int64(item.ordinal),
                    started: 1_700_000_000_000,
                    url: item.url,
                    status: 200,
                    phases: .init(
                        blocked: 1_500_000,
                        dns: 2000,
                        connect: 30_000,
                        tls: 20_000,
                        wait: 4500,
                        receive: 900
                    )
                ) {
                    $0.requestHeaders = "Accept: image/*"
                    $0.responseHeaders = "Content-Type: image/jpeg\nETag: \"1\""
                    $0.responseBodyBytes = 1000 * item.ordinal
                    $0.protocolName = "HTTP/2"
                    $0.address = "192.0.2.1"
                    $0.isConnectionReused = item.ordinal > 1
                }
            ])
            try await job.finish(item, in: store)
        }
        return job
    }

    private func items(_ job: PlannedJob, _ text: String) async throws -> [ItemExplanation] {
        let explainer = try ItemExplainer(job.manifest)
        defer { explainer.close() }
        return try await explainer.items(text)
    }

    @Test("items are found by URL, part, path and absolute path; an empty text finds none")
    func found() async throws {
        let job = try await finished()
        for text in [
            "https://a.example/2.jpg", "small/2.jpg", job.folder.folder.path("out/small/2.jpg"), "example/2",
            "*/2.jpg",
        ] {
            #expect(try await items(job, text).map(\.item.index) == [2], "\(text)")
        }
        #expect(try await items(job, "a.example").map(\.item.index) == [1, 2, 3])
        #expect(try await items(job, "").isEmpty)
        #expect(try await items(job, "nothing").isEmpty)
    }

    @Test("a job that was never run has nothing to explain")
    func never() async throws {
        let manifest = try ManifestFolder().read(PlannedJob.manifest(["https://a.example/1.jpg"]))
        #expect(try await ItemExplainer(manifest).items("a.example").isEmpty)
    }

    @Test("the explanation holds the attempt, the request and the output")
    func whole() async throws {
        let job = try await finished()
        let item = try #require(try await items(job, "small/2.jpg").first)
        #expect(item.isListed && item.location == "sources[0].urls[1]" && item.due == nil)
        #expect(item.attempts.map(\.outcome) == ["done"] && item.attempts[0].status == 200)
        #expect(item.attempts[0].bytes == 2000 && item.attempts[0].started == "2023-11-14T22:13:20.000Z")
        #expect(item.requests.map(\.request.url) == ["https://a.example/2.jpg"])
        #expect(item.requests[0].responseHeaders == ["Content-Type: image/jpeg", "ETag: \"1\""])
        #expect(item.original.source == "network" && item.original.bytes == 2000)
        #expect(item.original.isCached == nil, "there is no cache")
        #expect(item.outputs.map(\.name) == ["small"] && item.next.isEmpty)
    }

    @Test("the text has its sections, phases in milliseconds and no empty sections")
    func text() async throws {
        let job = try await finished()
        let lines = try #require(try await items(job, "small/2.jpg").first).text.components(separatedBy: "\n")
        #expect(lines[0] == "https://a.example/2.jpg")
        #expect(lines[1].hasPrefix("  done since ") && lines[1].hasSuffix(": all its outputs are made"))
        #expect(lines[2] == "  listed in sources[0].urls[1] as item 2, priority normal")
        let titles = lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") }.dropFirst()
        #expect(Array(titles) == ["attempts", "requests", "cache", "outputs"])
        #expect(lines.contains { $0.hasSuffix("run 1  GET https://a.example/2.jpg") })
        #expect(lines.contains("    200, 2.0 kB; 192.0.2.1, HTTP/2, reused connection"))
        #expect(
            lines.contains(
                "    queued 1500 ms, DNS 2.0 ms, connect 30 ms, TLS 20 ms, first byte 4.5 ms, body 0.9 ms"
            ),
            "\(lines)"
        )
        #expect(lines.contains("    > Accept: image/*") && lines.contains("    < ETag: \"1\""))
        #expect(
            lines.contains {
                $0.hasPrefix("  1  run 1  2023-11-14T22:13:20.000Z  25 ms  done  HTTP 200  2.0 kB")
            }
        )
        #expect(lines.contains { $0.hasPrefix("  small  done  small/2.jpg  320 × 213  ") })
        let first = try #require(try await items(job, "small/1.jpg").first).text
        #expect(!first.contains("reused connection"))
    }

    @Test("a message of several lines stays in its line")
    func lines() async throws {
        let job = try PlannedJob(items: 1)
        try await job.run { store, item in
            try await job.fail(item, in: store, as: "corrupt", message: "bad\noutputs\n  fake")
        }
        let text = try #require(try await items(job, "a.example").first).text
        #expect(text.contains("corrupt: bad outputs   fake") && !text.contains("\noutputs\n  fake"))
    }

    @Test("signatures are hidden in the heading and in the line")
    func secrets() async throws {
        let job = try PlannedJob(PlannedJob.manifest(["https://a.example/1.jpg?token=SECRET"]))
        let item = try #require(try await items(job, "a.example").first)
        #expect(item.line == "pending  https://a.example/1.jpg?…  sources[0].urls[0]")
        #expect(item.text.hasPrefix("https://a.example/1.jpg?…\n") && !item.text.contains("SECRET"))
    }

    @Test("the state of the cache is told", arguments: [true, false])
    func cache(isCached: Bool) async throws {
        let job = try await finished(1)
        let folder = URL(fileURLWithPath: job.manifest.cache.directory, isDirectory: true)
        let cache = try DataCache(path: folder)
        if isCached { cache.storeData(Data(repeating: 1, count: 77), for: "https://a.example/1.jpg") }
        cache.flush()
        cache.close()
        let original = try #require(try await items(job, "small/1.jpg").first).original
        #expect(original.isCached == isCached && original.cacheKey == "https://a.example/1.jpg")
        #expect(original.bytes == (isCached ? 77 : 1000), "the file's own length, or the last attempt's")
        #expect(
            original.decision.hasPrefix(
                isCached ? "the original is cached" : "the original is no longer cached"
            )
        )
    }

    @Test("an item that was never loaded, and a cache that is switched off")
    func noCache() async throws {
        let job = try PlannedJob(items: 1)
        #expect(
            try await items(job, "a.example").first?.original.decision
                == "the original has not been loaded yet"
        )
        let off = try PlannedJob(
            PlannedJob.manifest(["https://a.example/1.jpg"]).replacing(
                #""directory": "cache""#,
                with: #""directory": "cache", "policy": "none""#
            )
        )
        let original = try #require(try await items(off, "a.example").first).original
        #expect(
            original.decision == "cache.policy is none: originals are not cached" && original.source == nil
        )
    }

    @Test("requests of URLs that look alike without their secrets are those of its own attempts")
    func ambiguous() async throws {
        let urls = ["https://a.example/1.jpg?token=A", "https://a.example/1.jpg?token=B"]
        let job = try PlannedJob(PlannedJob.manifest(urls))
        try await job.run { store, item in
            let start = 1_700_000_000_000 + Int64(item.ordinal) * 10_000
            try await store.record([
                RequestRecord(
                    load: Int64(item.ordinal),
                    started: start,
                    url: "https://a.example/1.jpg?token=redacted",
                    status: 200,
                    phases: .init(blocked: nil, dns: nil, connect: nil, tls: nil, wait: 1, receive: 1)
                )
            ])
            var result = try job.done(item)
            result.attempt?.started = start
            try await store.record(result, of: item)
        }
        for url in urls {
            let item = try #require(try await items(job, url).first)
            #expect(item.requests.map(\.request.load) == [item.item.index], "\(url)")
        }
    }

    @Test("JSON has all keys")
    func json() async throws {
        let job = try await finished(1)
        let data = try JSONEncoder().encode(try #require(try await items(job, "small/1.jpg").first))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "attempts", "due", "isListed", "item", "leftovers", "location", "next", "note", "original",
                "outputs", "requests", "updated", "why",
            ]
        )
        #expect(object["due"] is NSNull)
        let attempt = try #require((object["attempts"] as? [[String: Any]])?.first)
        #expect(attempt.count == 10 && attempt["error"] is NSNull)
    }

    @Test(
        "an item that an edge loads is explained by the edge's last response",
        arguments: [
            ("CF-Cache-Status: HIT", "hit", "the edge had it in its cache"),
            ("X-Cache: HIT, MISS", "miss", "the edge fetched it from its origin"),
            ("Content-Type: image/jpeg", "unknown", "does not say whether the edge had it"),
        ]
    )
    func edge(field: String, answer: String, sentence: String) async throws {
        let job = try PlannedJob(
            #"{"sources": [{"urls": ["https://a.example/1.jpg"]}], "loading": {"method": "HEAD"}}"#
        )
        try await job.run { store, item in
            let phases = RequestRecord.Phases(
                blocked: nil,
                dns: nil,
                connect: nil,
                tls: nil,
                wait: 1,
                receive: 0
            )
            for (load, status) in [(1, 200), (2, 503)] {
                let request = RequestRecord(
                    load: Int64(load),
                    started: 1_700_000_000_000,
                    url: item.url,
                    status: status,
                    phases: phases
                ) {
                    $0.method = "HEAD"
                    $0.responseHeaders = status == 200 ? field : "X-Cache: HIT"
                }
                try await store.record([request])
            }
            try await store.record(ItemResult(.done, originalSHA256: ""), of: item)
        }
        let item = try #require(try await items(job, "a.example").first)
        #expect(item.original.edge == answer && item.original.source == "edge")
        #expect(item.original.decision.contains(sentence) && item.original.isCached == nil)
        #expect(item.original.sha256 == nil && item.why == "the edge has answered for it")
        #expect(item.text.contains("\nedge\n  loading.method is HEAD") && !item.text.contains("\ncache\n"))
    }
}
