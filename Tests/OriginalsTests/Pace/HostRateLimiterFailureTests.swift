import Originals
import OriginalsFixtures
import TestSupport
import Testing

/// Hosts that do not answer, at the rate limiter.
@Suite(.timeLimit(.minutes(10)))
struct HostRateLimiterFailureTests {
    private func rateLimiter(_ clock: TestClock) -> HostRateLimiter {
        HostRateLimiter(
            limits: .init(rate: 1e6, burst: 1_000, concurrency: 4),
            hosts: [:],
            idle: nil,
            breaking: .init(),
            outage: .init(),
            clock: clock
        )
    }

    /// A rate limiter after five hosts have failed so often that this is an outage.
    private func rateLimiterInAnOutage() async throws -> HostRateLimiter {
        let rateLimiter = rateLimiter(TestClock(isHolding: false))
        for _ in 0..<4 {
            for host in ["a", "b", "c", "d", "e"] where rateLimiter.outage == nil {
                try await rateLimiter.acquire(host: host).release(.unreachable)
            }
        }
        #expect(rateLimiter.outage != nil)
        return rateLimiter
    }

    private func fail(_ host: String, times count: Int, at rateLimiter: HostRateLimiter) async throws {
        for _ in 0..<count { try await rateLimiter.acquire(host: host).release(.unreachable) }
    }

    @Test func leavesADeadHostAloneThenGivesItUp() async throws {
        let clock = TestClock()
        let rateLimiter = rateLimiter(clock)
        try await fail("a", times: 5, at: rateLimiter)
        #expect(clock.pauses.isEmpty)
        try await fail("a", times: 1, at: rateLimiter)
        #expect(clock.now.offset >= .seconds(30))
        try await rateLimiter.acquire(host: "b").release(.answered)
        try await fail("a", times: 1, at: rateLimiter)
        #expect(clock.now.offset >= .seconds(90))
        await #expect(throws: HostDownError.self) { _ = try await rateLimiter.acquire(host: "a") }
        let lesson = try #require(rateLimiter.lessons.first { $0.host == "a" })
        #expect(lesson.isDown && lesson.failStreak == 7 && lesson.hold <= .zero)
    }

    @Test(arguments: [("a", true), ("s3://b", false)])
    func givesUpAHostThatRefusesEverything(host: String, isGivenUp: Bool) async throws {
        let rateLimiter = rateLimiter(TestClock())
        func refuse(_ count: Int) async throws {
            for _ in 0..<count {
                try await rateLimiter.acquire(host: host).release(.refused(retryAfter: .seconds(1)))
            }
        }
        try await refuse(59)
        try await rateLimiter.acquire(host: host).release(.answered)
        try await refuse(62)
        guard isGivenUp else { return try await refuse(100) }
        await #expect(throws: HostDownError.self) { try await refuse(1) }
    }

    @Test func goesOnFromAnEarlierRunsFailures() async throws {
        let rateLimiter = rateLimiter(TestClock())
        rateLimiter.restore(host: "a", failStreak: 7)
        try await fail("a", times: 1, at: rateLimiter)
        await #expect(throws: HostDownError.self) { _ = try await rateLimiter.acquire(host: "a") }
        rateLimiter.restore(host: "b", failStreak: 7)
        try await rateLimiter.acquire(host: "b").release(.answered)
        #expect(!rateLimiter.lessons.contains { $0.host == "b" })
    }

    @Test func whoWaitsForAHostThatIsGivenUpIsTold() async throws {
        let rateLimiter = rateLimiter(TestClock())
        rateLimiter.restore(host: "a", failStreak: 6)
        let probe = try await rateLimiter.acquire(host: "a")
        let waiting = Task { try await rateLimiter.acquire(host: "a") }
        try await rateLimiter.wait(for: 1, at: "a")
        #expect(rateLimiter.waiting.first?.reason == .unreachable)
        probe.release(.unreachable)
        await #expect(throws: HostDownError.self) { _ = try await waiting.value }
    }

    @Test func anOutageIsNoHostsFaultAndIsProbedByOneRequest() async throws {
        let rateLimiter = try await rateLimiterInAnOutage()
        #expect(rateLimiter.lessons.allSatisfy { $0.failStreak == 0 })
        let probe = try await rateLimiter.acquire(host: "a")
        let waiting = Task { try await rateLimiter.acquire(host: "b") }
        try await rateLimiter.wait(for: 1, at: "b")
        #expect(rateLimiter.waiting.first?.reason == .outage)
        probe.release(.answered)
        try await waiting.value.release(.answered)
        #expect(rateLimiter.outage == nil)
    }

    @Test func aHostThatHasNotFailedProbesFirst() async throws {
        let rateLimiter = try await rateLimiterInAnOutage()
        let first = try await rateLimiter.acquire(host: "a")
        let waiting = ["b", "z"].map { host in Task { try await rateLimiter.acquire(host: host) } }
        for host in ["b", "z"] { try await rateLimiter.wait(for: 1, at: host) }
        first.release(.unreachable)
        try await waiting[1].value.release(.answered)
        try await waiting[0].value.release(.answered)
    }
}
