import Foundation
import JobStorage
import SQLite
import Synchronization
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
        #expect(try await store.timeUntilReady() == nil)
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

    @Test("an item waits for its time, by the store's clock")
    func notBefore() async throws {
        let (job, clock) = (try TestJob(), SetClock(1000))
        let store = try job.open(clock.clock)
        try store.plan([row(1), row(2)])
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 10)
        for (item, delay) in zip(items, [4000, 6000] as [Int64]) {
            try await store.retryLater(item, after: delay, error: "timeout", message: "slow")
        }
        #expect(try await store.timeUntilReady() == 4000)
        clock.set(4999)
        #expect(try await store.claim(limit: 10).isEmpty)
        clock.set(5000)
        let due = try await store.claim(limit: 10)
        #expect(due.map(\.ordinal) == [1])
        #expect(due.map(\.attempts) == [2])
        #expect(try await store.timeUntilReady() == 2000)
        clock.set(9000)
        #expect(try await store.claim(limit: 10).map(\.ordinal) == [2])
        #expect(try await store.timeUntilReady() == nil)
    }

    @Test("after the clock was set back, a stored wait is as long as it was when it was recorded")
    func clockSetBack() async throws {
        let (job, clock) = (try TestJob(), SetClock(7_200_000))
        let before = try job.open(clock.clock)
        try before.plan([row(1), row(2)])
        _ = try before.beginRun(version: "1")
        let items = try await before.claim(limit: 2)
        for (item, delay) in zip(items, [60_000, 5_000_000] as [Int64]) {
            try await before.retryLater(item, after: delay, error: "timeout", message: "slow")
        }
        try await before.save([HostRecord(name: "a.example", rate: 2.5)])
        try before.endRun(exit: 5)
        before.close()
        try Connection(path: job.path).execute("UPDATE host SET saved_ms = 9000, not_before_ms = 12000")

        clock.set(3000)
        let store = try job.open(clock.clock)
        _ = try store.beginRun(version: "1")
        #expect(try await store.timeUntilReady() == 60_000)
        #expect(try store.reader.items().map(\.notBefore) == [63_000, 5_003_000])
        #expect(try store.reader.hosts().map(\.notBefore) == [6000])
        #expect(try store.reader.hosts().map(\.rate) == [2.5])
        try store.endRun(exit: 5)
        clock.set(50_000)
        _ = try store.beginRun(version: "1")
        #expect(try await store.timeUntilReady() == 13_000, "a wait that has begun goes on")
    }

    @Test("nothing is claimed without a run")
    func noRun() async throws {
        let store = try TestJob().open()
        try store.plan([row(1)])
        await #expect(throws: JobStoreError.self) { try await store.claim(limit: 1) }
    }
}

/// A clock that shows what it was set to.
private final class SetClock: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64) {
        self.time = Mutex(time)
    }

    var clock: StateClock {
        StateClock { [self] in time.withLock { $0 } }
    }

    func set(_ time: Int64) {
        self.time.withLock { $0 = time }
    }
}
