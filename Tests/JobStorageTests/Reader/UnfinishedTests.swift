import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct UnfinishedTests {
    @Test("waiting items are counted by host")
    func hosts() async throws {
        let store = try TestJob().open()
        try store.plan((1...6).map { row($0, host: $0 < 5 ? "a.example" : "b.example") })
        #expect(try store.reader.unfinishedByHost() == ["a.example": 4, "b.example": 2])
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 6)
        #expect(try store.reader.unfinishedByHost().isEmpty, "items that a run holds are its own")
        let retried = try #require(items.first { $0.ordinal == 6 })
        try await store.retryLater(retried, after: 9, error: "timeout", message: "slow")
        #expect(try store.reader.unfinishedByHost() == ["b.example": 1])
    }

    @Test("each waiting item comes once, with its host and its own headers")
    func items() async throws {
        let store = try TestJob().open()
        var items = (1...2300).map { row($0, host: "h\($0 % 7).example") }
        items[0].headersJSON = #"{"Accept":"image/webp"}"#
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 100, perHost: 1) {
            try await store.record(done(item), of: item)
        }
        var found: [UnfinishedItem] = []
        try store.reader.forEachUnfinished { found.append($0) }
        #expect(found.count == 2293 && Set(found.map(\.url)).count == 2293)
        #expect(found.allSatisfy { $0.url.hasPrefix("https://\($0.host)/") })
        let withHeaders = found.filter { !$0.headers.isEmpty }
        #expect(withHeaders.count <= 1)
        #expect(withHeaders.allSatisfy { $0.headers == ["Accept": "image/webp"] })
    }

    @Test("cache keys of items that left the manifest are those that no listed item has")
    func cacheKeys() async throws {
        let store = try TestJob().open()
        try store.plan((1...4).map { row($0) })
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 4) {
            var result = done(item)
            result.cacheKey = item.ordinal < 3 ? "shared" : "key-\(item.ordinal)"
            try await store.record(result, of: item)
        }
        #expect(try store.reader.unlistedCacheKeys().isEmpty)
        try store.plan([row(1), row(3)])
        #expect(try store.reader.unlistedCacheKeys() == ["key-4"])
        try store.plan([row(3)])
        #expect(Set(try store.reader.unlistedCacheKeys()) == ["key-4", "shared"])
    }

    @Test("the names of columns and variables are those of listed items")
    func variables() throws {
        let store = try TestJob().open()
        var items = (1...3).map { row($0) }
        items[0].varsJSON = #"{"colour":"red","size":"4"}"#
        items[1].varsJSON = #"{"colour":"blue"}"#
        items[2].varsJSON = #"{"brand":"x"}"#
        try store.plan(items)
        #expect(try store.reader.listColumns().map(\.name) == ["brand", "colour", "size"])
        try store.plan(Array(items[1...1]))
        #expect(try store.reader.listColumns() == [ListColumn("colour", .texts)])
    }
}
