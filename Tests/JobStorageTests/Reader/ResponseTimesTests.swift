import JobStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResponseTimesTests {
    private func request(_ url: String, _ wait: Int, status: Int? = 200) -> RequestRecord {
        RequestRecord(
            load: 1,
            started: 1,
            url: url,
            status: status,
            phases: .init(blocked: 1_000_000, dns: 1, connect: nil, tls: nil, wait: wait, receive: 5)
        )
    }

    private func store() throws -> JobStore {
        let store = try TestJob().open()
        _ = try store.beginRun(version: "1")
        return store
    }

    @Test("hosts and URLs have the quantiles of their own requests, the slowest first")
    func quantiles() async throws {
        let store = try store()
        defer { withExtendedLifetime(store) {} }
        let slow = (1...41).map { $0 * $0 * 37 }
        try await store.record(
            slow.map { request("https://slow.example:8443/a.jpg?b=hidden", $0) }.shuffled()
        )
        try await store.record([10, 20].map { request("http://user@fast.example/1.jpg", $0) })
        try await store.record([
            request("http://fast.example/2.jpg", 40), request("http://fast.example/2.jpg", 9, status: nil),
            request("http://dead.example/", 99_999_999, status: nil),
        ])
        let found = try [store.reader].slowestResponses(limit: 9)
        #expect(found.requests == 46)
        #expect(found.hosts.map(\.name) == ["slow.example:8443", "fast.example"])
        #expect(found.hosts.map(\.requests) == [41, 4] && found.hosts.map(\.failures) == [0, 1])
        #expect(found.hosts[0].median == slow[20] + 6 && found.hosts[0].percentile95 == slow[38] + 6)
        #expect(found.hosts[0].maximum == slow[40] + 6, "the wait for its turn does not count")
        #expect(found.hosts[1].median == 26 && found.hosts[1].percentile95 == 46)
        let (first, second) = ("http://fast.example/2.jpg", "http://user@fast.example/1.jpg")
        #expect(found.urls.map(\.name) == ["https://slow.example:8443/a.jpg?b=hidden", first, second])
        #expect(found.urls[2].median == 21 && found.urls[2].maximum == 26)
        #expect(try [store.reader].slowestResponses(limit: 1).urls.count == 1)
    }

    @Test("only the newest requests of each log count if asked so; several logs are one")
    func newest() async throws {
        let stores = try [store(), store()]
        defer { withExtendedLifetime(stores) {} }
        for (number, store) in stores.enumerated() {
            try await store.record((1...9).map { request("http://a.example/\(number)", $0 * 10) })
        }
        let readers = stores.map(\.reader)
        let all = try readers.slowestResponses(limit: 5)
        #expect(all.requests == 18 && all.hosts.map(\.median) == [56] && all.urls.count == 2)
        let last = try readers.slowestResponses(last: 2, limit: 5)
        #expect(last.requests == 4 && last.hosts.map(\.median) == [91])
        let empty = try store()
        defer { withExtendedLifetime(empty) {} }
        let none = try [empty.reader].slowestResponses(last: 2, limit: 5)
        #expect(none.requests == 0 && none.hosts.isEmpty && none.urls.isEmpty)
    }
}
