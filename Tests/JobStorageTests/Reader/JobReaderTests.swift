import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobReaderTests {
    @Test("no state is no error, and looking makes no file")
    func missing() throws {
        let job = try TestJob()
        #expect(try JobReader(path: job.path) == nil)
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("state")))
    }

    @Test("a reader sees what is committed while a run goes on, and after it")
    func besideARun() async throws {
        let job = try TestJob()
        let store = try job.open()
        let reader = try #require(try JobReader(path: job.path))
        #expect(try reader.revision() == nil)
        #expect(try reader.counts().total == 0)
        try store.plan((1...100).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 10)
        for item in items.prefix(4) { try await store.record(done(item), of: item) }
        let counts = try reader.counts()
        #expect(counts[.done] == 4 && counts[.running] == 6 && counts[.pending] == 90 && counts.total == 100)
        try store.endRun(exit: 0)
        store.close()
        #expect(try reader.counts().unfinished == 96)
        #expect(try JobReader(path: job.path)?.runs().first?.exit == 0)
    }

    @Test("items come in the manifest's order, page by page, each once")
    func pages() async throws {
        let store = try TestJob().open()
        try store.plan((1...2500).map { row($0 * 2) })
        try store.plan((2...5001).map { row($0) })
        var ordinals: [Int] = []
        try store.reader.forEachItem { ordinals.append($0.ordinal) }
        #expect(ordinals == Array(2...5001))
        #expect(try store.reader.items(limit: 3).map(\.ordinal) == [2, 3, 4])
    }

    @Test("items are chosen by state, error and URL")
    func filters() async throws {
        let store = try TestJob().open()
        var items = (1...7).map { row($0) }
        items[4].url = "https://a.example/[5].jpg?size=1"
        items[5].url = "https://a.example/[5].jpgzsize=1"
        items[6].url = "https://a.example/5.jpg?size=1"
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        let errors = [1: "http_404", 2: "timeout", 3: "http_404"]
        for item in try await store.claim(limit: 10) {
            guard let error = errors[item.ordinal] else { continue }
            try await store.record(ItemResult(.failed(error: error, message: "no")), of: item)
        }
        func found(_ filter: ItemFilter) throws -> [Int] { try store.reader.items(filter).map(\.ordinal) }
        #expect(try found(ItemFilter(states: [.failed])) == [1, 2, 3])
        #expect(try found(ItemFilter(errors: ["http_404"])) == [1, 3])
        #expect(try found(ItemFilter(states: [.failed, .running], errors: ["timeout"])) == [2])
        #expect(try found(ItemFilter(states: [.running])) == [4, 5, 6, 7])
        #expect(try found(ItemFilter(url: "photos/2024/3")) == [3])
        #expect(try found(ItemFilter(url: "https://*/2024/*")) == [1, 2, 3, 4])
        #expect(try found(ItemFilter(url: "2024/*")) == [], "with a star it is the whole URL")
        #expect(try found(ItemFilter(url: "[5].jpg?size")) == [5], "no other character has a meaning")
        #expect(try store.reader.failures() == ["http_404": 2, "timeout": 1])
    }

    @Test("failed items get a new set of attempts, those that were asked for")
    func putBack() async throws {
        let store = try TestJob().open()
        try store.plan((1...5).map { row($0) })
        _ = try store.beginRun(version: "1")
        for (item, error) in zip(
            try await store.claim(limit: 4),
            ["http_404", "timeout", "http_503", "crashed"]
        ) {
            let outcome: ItemResult.Outcome =
                error == "crashed"
                ? .quarantined(error: error, message: "signal") : .failed(error: error, message: "no")
            try await store.record(ItemResult(outcome), of: item)
        }
        #expect(try store.requeueRetryable([]) == 0)
        #expect(try store.requeueRetryable(["timeout", "http_503", "crashed"]) == 2)
        #expect(try store.reader.counts()[.quarantined] == 1)
        #expect(try store.requeueFailed(ItemFilter(states: [.done])) == 0)
        #expect(try store.requeueFailed(ItemFilter(states: [.failed], url: "2024/9")) == 0)
        #expect(try store.requeueFailed() == 2)
        let items = try await store.claim(limit: 10)
        #expect(items.map(\.attempts) == [1, 1, 1, 1, 1])
        #expect(items.map(\.generation) == [1, 1, 1, 1, 0])
    }
}
