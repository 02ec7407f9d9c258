import JobStorage
import TestSupport
import Testing

@Suite struct WaitingTests {
    @Test("unfinished items that fit get another priority, and are claimed by it")
    func priority() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...6).map { row($0) })
        _ = try store.beginRun(version: "1")
        let finished = try #require(try await store.claim(limit: 1).first)
        try await store.record(done(finished), of: finished)
        let all = ItemFilter(url: "photos")
        #expect(try await store.changePriority(of: ItemFilter(url: "5.jpg"), to: 4) == 1)
        #expect(try await store.changePriority(of: ItemFilter(states: [.retry]), to: 3) == 0)
        #expect(try await store.claim(limit: 1).map(\.ordinal) == [5])
        // What is finished stays as it is, what a run holds does not; beyond the ends is at the ends.
        #expect(try await store.changePriority(of: all, to: 99) == 4)
        #expect(try job.integer("SELECT count(*) FROM item WHERE priority = 4") == 5)
        #expect(try await store.changePriority(of: all, to: -1) == 5)
    }

    @Test("attempts are given back, but not those of an earlier generation or of what is finished")
    func refund() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...2).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 2)
        try await store.record(done(items[0]), of: items[0])
        try await store.retryLater(items[1], after: 0, error: "refused", message: "no")
        try await store.refund(items)
        try await store.refund(items)
        #expect(try job.integer("SELECT attempts FROM item WHERE ordinal = \(items[0].ordinal)") == 1)
        #expect(try job.integer("SELECT attempts FROM item WHERE ordinal = \(items[1].ordinal)") == 0)
    }

    @Test("what is known of hosts is kept, and what is forgotten is no longer known")
    func hosts() async throws {
        let store = try TestJob().open()
        try await store.save([
            HostRecord(name: "a.example", rate: 12.5) {
                $0.notBefore = 7
                $0.failStreak = 5
                $0.breaker = "open"
            },
            HostRecord(name: "b.example:8080", rate: 3),
        ])
        #expect(Set(try store.reader.hosts().map(\.name)) == ["a.example", "b.example:8080"])
        try await store.save([HostRecord(name: "a.example")])
        #expect(try store.reader.hosts().map(\.rate) == [3])
    }
}
