import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ItemLifeTests {
    private func finishedJob() async throws -> JobStore {
        let store = try TestJob().open()
        var items = (1...4).map { row($0) }
        items[1].id = "sku-2"
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        try await store.finishAll()
        try store.plan(Array(items[..<3]))
        return store
    }

    @Test("an item is found by URL, by ID and by the path of an output, listed items first")
    func found() async throws {
        let store = try await finishedJob()
        func ordinals(_ text: String, path: String = "") throws -> [Int] {
            try store.reader.lives(of: text, path: path, limit: 10).map(\.item.ordinal)
        }
        #expect(try ordinals(row(1).url) == [1])
        #expect(try ordinals("sku-2") == [2])
        #expect(try ordinals("", path: "small/3.jpg") == [3])
        #expect(try ordinals(row(4).url, path: "small/1.jpg") == [1, 4])
        #expect(try ordinals("nothing", path: "nothing").isEmpty)
        let unlisted = try #require(try store.reader.lives(of: row(4).url, path: "", limit: 1).first)
        #expect(!unlisted.isListed && unlisted.item.state == .done)
    }

    @Test("it has its attempts in order, all its outputs and its former files")
    func whole() async throws {
        let store = try await finishedJob()
        let smaller = OutputRecipe(source: 0, output: "small", recipe: "width 160")
        try store.plan([row(1)], recipes: [smaller])
        let item = try #require(try await store.claim(limit: 1).first)
        let wait = AttemptResult(started: 5, milliseconds: 70, outcome: "retry") {
            $0.error = "http_503"
            $0.http = 503
            $0.bytes = 12
            $0.detail = "busy"
        }
        try await store.retryLater(item, after: 0, error: "http_503", message: "busy", attempt: wait)
        let again = try #require(try await store.claim(limit: 1).first)
        var result = done(again, [smaller])
        result.outputs[0].path = "elsewhere/1.jpg"
        try await store.record(result, of: again)

        let life = try #require(try store.reader.lives(ItemFilter(url: row(1).url), limit: 5).first)
        #expect(life.isListed && life.item.attempts == 2 && life.item.generation == 1)
        #expect(life.attempts.map(\.number) == [1, 2, 3] && life.attempts.map(\.generation) == [0, 1, 1])
        #expect(life.attempts[1].result == wait && life.attempts[1].runID == 1)
        #expect(
            life.outputs.map(\.result.path) == ["elsewhere/1.jpg"] && life.outputs.map(\.isWanted) == [true]
        )
        #expect(life.leftovers == ["small/1.jpg"])
        try store.plan([row(1)], recipes: [small])
        let unwanted = try #require(try store.reader.lives(ItemFilter(), limit: 1).first)
        #expect(unwanted.outputs.map(\.isWanted) == [false] && unwanted.item.outputs.isEmpty)
    }

    @Test("items can come with their newest attempt")
    func lastAttempt() async throws {
        let store = try await finishedJob()
        #expect(try store.reader.items().allSatisfy { $0.lastAttempt == nil })
        let items = try store.reader.items(withAttempts: true)
        #expect(items.map { $0.lastAttempt?.number } == [1, 1, 1])
        #expect(items.first?.lastAttempt?.result.http == 200)
    }

    @Test("the requests for a URL come with the redirects that followed, oldest first")
    func requests() async throws {
        let store = try await finishedJob()
        func request(_ load: Int64, _ redirects: Int, _ path: String) -> RequestRecord {
            RequestRecord(
                load: load,
                started: load,
                url: "https://a.example/\(path)",
                status: 200,
                phases: .init(blocked: nil, dns: nil, connect: nil, tls: nil, wait: 1, receive: 1)
            ) { $0.redirects = redirects }
        }
        try await store.record([
            request(1, 0, "a"), request(2, 0, "b"), request(1, 1, "target"), request(3, 0, "target"),
            request(4, 0, "a"),
        ])
        let found = try store.reader.requests(for: "https://a.example/a")
        #expect(found.map(\.load) == [1, 1, 4] && found.map(\.redirects) == [0, 1, 0])
        #expect(try store.reader.requests(for: "https://a.example/a", limit: 1).map(\.load) == [4])
        #expect(try store.reader.requests(for: "https://a.example/target").map(\.load) == [3])
    }
}
