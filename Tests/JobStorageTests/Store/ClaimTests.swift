import Foundation
import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClaimTests {
    private func started(_ items: [NewItem]) throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan(items)
        _ = try store.beginRun(version: "1")
        return (job, store)
    }

    @Test("a list sorted by host starves no host")
    func fairness() async throws {
        let hosts = ["a.example", "b.example", "c.example"]
        let (job, store) = try started(
            hosts.enumerated().flatMap { place, host in
                (1...1000).map { row(place * 1000 + $0, host: host) }
            }
        )
        var taken: [Int64: Int] = [:]
        var seen: Set<Int64> = []
        for _ in 0..<15 {
            for item in try await store.claim(limit: 40) {
                taken[item.hostID, default: 0] += 1
                #expect(seen.insert(item.itemID).inserted)
            }
        }
        #expect(taken.values.reduce(0, +) == 600)
        #expect(taken.values.allSatisfy { abs($0 - 200) <= 10 }, "\(taken)")
        #expect(try job.integer("SELECT count(*) FROM item WHERE state = 'running' AND attempts = 1") == 600)
    }

    @Test("a host gets no more than its room, and none where it has none")
    func room() async throws {
        let (_, store) = try started((1...300).map { row($0, host: "h\($0 % 3).example") })
        let first = try await store.claim(limit: 64, perHost: 6)
        let hosts = Dictionary(grouping: first, by: \.hostID).mapValues(\.count)
        #expect(hosts.count == 3 && hosts.values.allSatisfy { $0 == 6 })
        let ids = hosts.keys.sorted()
        let second = try await store.claim(limit: 64, perHost: 6, room: [ids[0]: 0, ids[1]: 1])
        #expect(Dictionary(grouping: second, by: \.hostID).mapValues(\.count) == [ids[1]: 1, ids[2]: 6])
        #expect(try await store.claim(limit: 64, perHost: 0).isEmpty)
        #expect(try await store.claim(limit: 0).isEmpty)
    }

    @Test("thousands of hosts are all served, each item once")
    func manyHosts() async throws {
        let (_, store) = try started((1...3000).map { row($0, host: "h\($0).example") })
        var seen: Set<Int64> = []
        while true {
            let items = try await store.claim(limit: 100, perHost: 2)
            guard !items.isEmpty else { break }
            for item in items { #expect(seen.insert(item.itemID).inserted) }
        }
        #expect(seen.count == 3000)
        #expect(try await store.nextReady() == nil)
    }

    @Test("within a host: priority, then the longest wait, then the manifest's order")
    func order() async throws {
        let (_, store) = try started([
            row(1, priority: 0), row(2), row(3, priority: 4), row(4), row(5, priority: 4),
            row(6, priority: 1),
        ])
        #expect(try await store.claim(limit: 4).map(\.ordinal) == [3, 5, 2, 4])
        #expect(try await store.claim(limit: 100).map(\.ordinal) == [6, 1])
    }

    @Test("an item waits for its time")
    func notBefore() async throws {
        let (_, store) = try started([row(1), row(2)])
        let items = try await store.claim(limit: 10, now: 1000)
        for (item, time) in zip(items, [5000, 7000] as [Int64]) {
            try await store.retryLater(item, notBefore: time, error: "timeout", message: "slow")
        }
        #expect(try await store.nextReady() == 5000)
        #expect(try await store.claim(limit: 10, now: 4999).isEmpty)
        let due = try await store.claim(limit: 10, now: 5000)
        #expect(due.map(\.ordinal) == [1])
        #expect(due.map(\.attempts) == [2])
        #expect(try await store.nextReady() == 7000)
        #expect(try await store.claim(limit: 10, now: 9000).map(\.ordinal) == [2])
        #expect(try await store.nextReady() == nil)
    }

    @Test("a stored wait is shortened to the longest that a run allows")
    func clockJump() async throws {
        let (job, store) = try started([row(1)])
        let item = try #require(try await store.claim(limit: 1).first)
        try await store.retryLater(item, notBefore: .max, error: "timeout", message: "slow")
        try await store.save([HostRecord(name: "a.example", rate: 2.5, notBefore: .max)])
        try store.endRun(exit: 5)
        let run = try store.beginRun(version: "1", longestWait: 60_000)
        #expect(try await store.nextReady() == run.started + 60_000)
        #expect(try store.reader.hosts().map(\.notBefore) == [run.started + 60_000])
        #expect(try store.reader.hosts().map(\.rate) == [2.5])
        #expect(try job.integer("SELECT count(*) FROM host") == 1)
    }

    @Test("nothing is claimed without a run")
    func noRun() async throws {
        let store = try TestJob().open()
        try store.plan([row(1)])
        await #expect(throws: JobStoreError.self) { try await store.claim(limit: 1) }
    }
}
