import Foundation
import JobFixtures
import JobStorage
import Originals
import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct HostStateStoreTests {
    private let job: RunningJob

    init() throws {
        job = try RunningJob()
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    private func rateLimiter() -> HostRateLimiter {
        HostRateLimiter(
            limits: .init(rate: 80, burst: 25, concurrency: 6),
            hosts: [:],
            idle: nil,
            breaking: HostBreaker.Policy(),
            outage: nil
        )
    }

    private func host(_ name: String) throws -> HostRecord? {
        try job.reader.hosts().first { $0.name == name }
    }

    @Test("a pause that a host asks for is in the state at once, and holds the next run as well")
    func hold() async throws {
        let rateLimiter = rateLimiter()
        let before = now
        rateLimiter.hold(host: "a.example", for: .seconds(3000))
        try await HostStateStore(job.store, rateLimiter).save()
        let saved = try #require(try host("a.example"))
        #expect((before + 2_990_000...now + 3_010_000).contains(saved.notBefore))
        #expect(saved.rate == nil && saved.failStreak == 0 && saved.breaker == nil)
        let next = self.rateLimiter()
        try HostStateStore(job.store, next).restore()
        let lesson = try #require(next.lessons.first)
        #expect(next.lessons.count == 1 && lesson.host == "a.example")
        #expect(lesson.hold > .zero && lesson.hold <= .seconds(3001))
        #expect(next.waiting.map(\.reason) == [.held])
    }

    @Test("rates and failures in a row are those of the run before")
    func restore() async throws {
        try await job.store.save([
            HostRecord(name: "slow.example", rate: 2.5),
            HostRecord(name: "down.example") { $0.failStreak = 5 },
            HostRecord(name: "past.example") { $0.notBefore = now - 1 },
            HostRecord(name: "fast.example", rate: 80),
        ])
        let rateLimiter = rateLimiter()
        try HostStateStore(job.store, rateLimiter).restore()
        let lessons = Dictionary(uniqueKeysWithValues: rateLimiter.lessons.map { ($0.host, $0) })
        #expect(Set(lessons.keys) == ["slow.example", "down.example"])
        #expect(abs(try #require(lessons["slow.example"]?.rate) - 2.5) < 1e-9)
        let down = try #require(lessons["down.example"])
        #expect(down.failStreak == 6 && down.isOpen && !down.isDown)
    }

    @Test("what has not changed stays as it was written")
    func unchanged() async throws {
        let end = now + 3_000_000
        let saved = [
            HostRecord(name: "held.example") { $0.notBefore = end },
            HostRecord(name: "slow.example", rate: 2.5),
        ]
        try await job.store.save(saved)
        let store = HostStateStore(job.store, rateLimiter())
        try store.restore()
        try await store.save()
        #expect(try host("held.example")?.notBefore == end)
        #expect(try host("slow.example")?.rate == 2.5)
    }

    @Test("a longer pause takes the place of the one before")
    func longer() async throws {
        let first = now + 100_000
        try await job.store.save([HostRecord(name: "a.example") { $0.notBefore = first }])
        let rateLimiter = rateLimiter()
        let store = HostStateStore(job.store, rateLimiter)
        try store.restore()
        rateLimiter.hold(host: "a.example", for: .seconds(200))
        try await store.save()
        #expect(try #require(try host("a.example")).notBefore > first + 50_000)
    }

    @Test("a host that is given up is down in the state, and what it was is forgotten when it answers")
    func breaker() async throws {
        let rateLimiter = rateLimiter()
        let store = HostStateStore(job.store, rateLimiter)
        rateLimiter.restore(host: "a.example", failStreak: 6)
        try await rateLimiter.acquire(host: "a.example").release(.unreachable)
        try await store.save()
        #expect(try host("a.example")?.breaker == "down")
        #expect(try host("a.example")?.failStreak == 7)
        let next = self.rateLimiter()
        let nextStore = HostStateStore(job.store, next)
        try nextStore.restore()
        #expect(next.lessons.first?.failStreak == 6)
        try await next.acquire(host: "a.example").release(.answered)
        try await nextStore.save(all: true)
        #expect(try host("a.example") == nil)
    }

    @Test("a rate that is the configured one again is forgotten")
    func forgotten() async throws {
        try await job.store.save([HostRecord(name: "a.example", rate: 99)])
        let store = HostStateStore(job.store, rateLimiter())
        try store.restore()
        try await store.save(all: true)
        #expect(try host("a.example") == nil)
    }

    @Test("the time since the last run is known, and is none after a crash")
    func idle() throws {
        let path = job.files.folder.path("other.sqlite")
        func idle() throws -> Duration? {
            let store = try JobStore(path: path)
            defer { store.close() }
            return try HostStateStore.idle(store)
        }
        #expect(try idle() == nil)
        let store = try JobStore(path: path)
        _ = try store.beginRun(version: "1")
        try store.endRun(exit: 0)
        store.close()
        let passed = try #require(try idle())
        #expect(passed >= .zero)
        #expect(passed < .seconds(86_400))
        let crashed = try JobStore(path: path)
        _ = try crashed.beginRun(version: "1")
        crashed.close()
        #expect(try idle() == .zero)
    }
}
