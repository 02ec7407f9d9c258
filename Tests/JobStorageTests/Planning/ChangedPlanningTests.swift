import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChangedPlanningTests {
    let large = OutputRecipe(source: 0, output: "large", recipe: "width 1024")
    let smaller = OutputRecipe(source: 0, output: "small", recipe: "width 160")

    /// Ten items, of which 1 to 8 are done, 9 failed with a 404 and 10 while its output was made.
    private func finishedJob() async throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...10).map { row($0) })
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 100) {
            switch item.ordinal {
            case 9:
                try await store.record(ItemResult(.failed(error: "http_404", message: "no such")), of: item)
            case 10:
                let failed = OutputRecord(
                    name: "small",
                    recipe: small.recipe,
                    state: .failed,
                    reason: "odd size"
                )
                try await store.record(
                    ItemResult(.failed(error: "processing", message: "odd size"), outputs: [failed]),
                    of: item
                )
            default: try await store.record(done(item), of: item)
            }
        }
        return (job, store)
    }

    @Test("an unchanged manifest changes nothing and writes no item")
    func unchanged() async throws {
        let (job, store) = try await finishedJob()
        let before = try job.integer("SELECT sum(updated_ms + generation) FROM item")
        let counts = try store.plan((1...10).map { row($0) })
        #expect(counts.new == 0 && counts.changed == 0 && counts.left == 0 && counts.items == 10)
        #expect(counts.states[.done] == 8 && counts.states[.failed] == 2)
        #expect(try job.integer("SELECT sum(updated_ms + generation) FROM item") == before)
        #expect(try await store.claim(limit: 10).isEmpty)
    }

    @Test("items are added, leave uncounted, and come back as they were")
    func membership() async throws {
        let (_, store) = try await finishedJob()
        let counts = try store.plan([row(11)] + (5...10).map { row($0) })
        #expect(counts.new == 1 && counts.left == 4 && counts.items == 7)
        #expect(counts.states[.done] == 4 && counts.states[.pending] == 1)
        #expect(try await store.claim(limit: 10).map(\.ordinal) == [11])

        let back = try store.plan((1...11).map { row($0) })
        #expect(back.new == 0 && back.changed == 0 && back.left == 0)
        #expect(back.states[.done] == 8)
    }

    @Test("another order, source or priority remakes nothing")
    func reordered() async throws {
        let (_, store) = try await finishedJob()
        let items = (1...10).map { number in
            var item = row(number, priority: 4, source: 3)
            item.ordinal = 11 - number
            return item
        }
        let recipe = OutputRecipe(source: 3, output: "small", recipe: small.recipe)
        let counts = try store.plan(items, recipes: [recipe])
        #expect(counts.changed == 0 && counts.states[.done] == 8)
        let listed = try store.reader.items()
        #expect(listed.map(\.url) == (1...10).reversed().map { row($0).url })
        #expect(listed.last?.outputs.first?.path == "small/1.jpg")
    }

    @Test("another recipe remakes what was made, with the original at hand, but repeats no failed request")
    func recipe() async throws {
        let (_, store) = try await finishedJob()
        let counts = try store.plan((1...10).map { row($0) }, recipes: [smaller])
        #expect(counts.changed == 9)
        #expect(counts.states[.pending] == 9 && counts.states[.failed] == 1)
        #expect(try store.reader.failures() == ["http_404": 1])
        let item = try #require(try await store.claim(limit: 1).first)
        #expect(item.originalSHA256 == originalHash && item.cacheKey == item.url)
        #expect(item.attempts == 1 && item.generation == 1)
        #expect(item.outputs.map(\.recipe) == [small.recipe])
        try await store.record(done(item, [smaller]), of: item)
        #expect(try store.plan((1...10).map { row($0) }, recipes: [smaller]).changed == 0)
    }

    @Test("another output is made, one that is gone stays on record for prune but is not listed")
    func outputs() async throws {
        let (job, store) = try await finishedJob()
        #expect(try store.plan((1...10).map { row($0) }, recipes: [small, large]).changed == 8)
        try await store.finishAll([small, large])
        let counts = try store.plan((1...10).map { row($0) }, recipes: [large])
        #expect(counts.changed == 1, "the item whose output failed is free of it now")
        #expect(try store.reader.items().first?.outputs.map(\.name) == ["large"])
        #expect(try job.integer("SELECT count(*) FROM output WHERE name = 'small' AND state = 'done'") == 8)
        #expect(try store.plan((1...10).map { row($0) }, recipes: []).changed == 0)
    }

    @Test("another original forgets the former one, also of a failed item")
    func validator() async throws {
        let (_, store) = try await finishedJob()
        func items(_ validator: String?) -> [NewItem] {
            (1...10).map { number in
                var item = row(number)
                item.validator = [1, 9].contains(number) ? validator : nil
                return item
            }
        }
        #expect(try store.plan(items("100 bytes, noon")).changed == 2)
        #expect(try store.plan(items("100 bytes, noon")).changed == 0)
        #expect(try store.plan(items(nil)).changed == 0, "nothing known is no change")
        let claimed = try await store.claim(limit: 10)
        #expect(claimed.map(\.ordinal) == [1, 9])
        #expect(claimed.map(\.originalSHA256) == [nil, nil])
        #expect(claimed.map(\.validator) == ["100 bytes, noon", "100 bytes, noon"])
    }

    @Test("another path of the outputs makes a finished item pending, its original at hand")
    func placement() async throws {
        let (_, store) = try await finishedJob()
        func items(_ placement: Int64) -> [NewItem] {
            (1...10).map { number in
                var item = row(number)
                item.placement = number == 2 ? placement : nil
                return item
            }
        }
        #expect(try store.plan(items(1)).changed == 1)
        try await store.finishAll()
        #expect(try store.plan(items(1)).changed == 0)
        #expect(try store.plan(items(2)).changed == 1)
        #expect(try await store.claim(limit: 10).map(\.originalSHA256) == [originalHash])
    }

    @Test("an item that waits, for its turn or for another attempt, goes on waiting")
    func waiting() async throws {
        let store = try TestJob().open()
        try store.plan((1...3).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 2)
        try await store.retryLater(items[1], after: 60_000, error: "timeout", message: "slow")
        try store.endRun(exit: 130)
        let before = try store.reader.items(ItemFilter(states: [.retry])).map(\.notBefore)
        let counts = try store.plan((1...3).map { row($0) }, recipes: [small, large])
        #expect(counts.changed == 0)
        #expect(counts.states[.retry] == 1 && counts.states[.pending] == 2)
        let waiting = try #require(try store.reader.items(ItemFilter(states: [.retry])).first)
        #expect([waiting.notBefore] == before && waiting.attempts == 1 && waiting.error == "timeout")
    }
}
