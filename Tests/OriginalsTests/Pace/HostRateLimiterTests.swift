import Foundation
import Originals
import OriginalsFixtures
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HostRateLimiterTests {
    @Test func letsTheBurstThroughThenTheRate() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 100, burst: 5, concurrency: 1_000))
        let start = ContinuousClock.now
        for _ in 0..<25 { try await rateLimiter.acquire(host: "a").release(.answered) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(seconds >= 0.199)
    }

    @Test func letsOnlySoManyRunAtOnce() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 1e6, burst: 1_000, concurrency: 2))
        let first = try await rateLimiter.acquire(host: "a")
        let second = try await rateLimiter.acquire(host: "a")
        let third = Task { try await rateLimiter.acquire(host: "a") }
        try await rateLimiter.wait(for: 1, at: "a")
        #expect(rateLimiter.waiting.first?.reason == .concurrency)
        _ = try await rateLimiter.acquire(host: "b")
        first.release(.answered)
        first.release(.answered)
        let permit = try await third.value
        permit.release(.unknown)
        second.release(.unknown)
    }

    @Test func goesByPriorityThenByOrder() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 1e6, burst: 1_000, concurrency: 1))
        let first = try await rateLimiter.acquire(host: "a")
        let order = Order()
        let raised = LivePriority(.veryLow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let priorities: [LivePriority] = [.init(.normal), .init(.high), .init(.normal), raised]
            for (number, priority) in priorities.enumerated() {
                group.addTask {
                    let permit = try await rateLimiter.acquire(host: "a", priority: priority)
                    order.append(number)
                    permit.release(.answered)
                }
                try await rateLimiter.wait(for: number + 1, at: "a")
            }
            raised.priority = .veryHigh
            first.release(.answered)
            try await group.waitForAll()
        }
        #expect(order.numbers == [3, 1, 0, 2])
    }

    @Test func aPermitEndsWithItsLastReference() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(concurrency: 1))
        _ = try await rateLimiter.acquire(host: "a")
        try await rateLimiter.acquire(host: "a").release(.answered)
    }

    @Test func aCancelledTaskLeavesTheLine() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 1e6, burst: 1_000, concurrency: 1))
        let first = try await rateLimiter.acquire(host: "a")
        let waiting = Task { try await rateLimiter.acquire(host: "a") }
        try await rateLimiter.wait(for: 1, at: "a")
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(rateLimiter.waiting.isEmpty)
        first.release(.answered)
        try await rateLimiter.acquire(host: "a").release(.answered)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await rateLimiter.acquire(host: "a")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await rateLimiter.acquire(host: "a").release(.answered)
    }

    @Test func survivesCancellationAtRandomMoments() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 1e6, burst: 1_000_000, concurrency: 2))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let task = Task { try await rateLimiter.acquire(host: "a").release(.answered) }
                    if number.isMultiple(of: 3) { await Task.yield() }
                    if number.isMultiple(of: 2) { task.cancel() }
                    try? await task.value
                }
            }
        }
        let permits = [try await rateLimiter.acquire(host: "a"), try await rateLimiter.acquire(host: "a")]
        #expect(rateLimiter.waiting.isEmpty)
        for permit in permits { permit.release(.unknown) }
    }

    @Test func saysWhichHostIsHeld() async throws {
        let rateLimiter = HostRateLimiter()
        try await rateLimiter.acquire(host: "a").release(.refused(retryAfter: .seconds(86_400)))
        let waiting = Task { try await rateLimiter.acquire(host: "a") }
        try await rateLimiter.wait(for: 1, at: "a")
        let shown = try #require(rateLimiter.waiting.first)
        #expect(shown.host == "a")
        #expect(shown.reason == .held)
        let remaining = try #require(shown.remaining)
        #expect(remaining > .seconds(3_500) && remaining <= .seconds(3_601))
        try await rateLimiter.acquire(host: "b").release(.answered)
        #expect(rateLimiter.learned(host: "a") == 68)
        #expect(rateLimiter.learned(host: "b") == nil)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func goesOnAfterAHold() async throws {
        let rateLimiter = HostRateLimiter()
        let start = ContinuousClock.now
        rateLimiter.hold(host: "a", for: .milliseconds(50))
        rateLimiter.hold(host: "a", for: .milliseconds(-5))
        try await rateLimiter.acquire(host: "a").release(.answered)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func restoresWhatWasLearned() async throws {
        let rateLimiter = HostRateLimiter(hosts: ["a": .init(rate: 30)])
        rateLimiter.restore(host: "a", rate: 12)
        #expect(rateLimiter.learned(host: "a") == 12)
        rateLimiter.restore(host: "a", rate: 100)
        #expect(rateLimiter.learned(host: "a") == 12)
    }

    @Test func startsEmptyWhereAsked() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 50, burst: 25), idle: .zero)
        let start = ContinuousClock.now
        for _ in 0..<5 { try await rateLimiter.acquire(host: "a").release(.answered) }
        #expect(ContinuousClock.now - start >= .milliseconds(99))
    }

    @Test func forgetsHostsOfWhichNothingIsKnown() async throws {
        let rateLimiter = HostRateLimiter(limits: .init(rate: 1e9, burst: 1))
        for number in 0..<5_000 { try await rateLimiter.acquire(host: "\(number)").release(.answered) }
        rateLimiter.restore(host: "kept", rate: 5)
        for number in 5_000..<9_000 { try await rateLimiter.acquire(host: "\(number)").release(.answered) }
        #expect(rateLimiter.learned(host: "kept") == 5)
    }

    @Test(arguments: [
        ("http://A.example/x", "a.example"), ("https://a.example:443/", "a.example"),
        ("http://a.example:80", "a.example"),
        ("http://a.example:443/", "a.example:443"), ("http://127.0.0.1:8099/x?y", "127.0.0.1:8099"),
    ])
    func namesHosts(url: String, host: String) throws {
        #expect(HostRateLimiter.host(of: try #require(URL(string: url))) == host)
    }

    @Test(
        "limits of a host are those of all its ports",
        arguments: [
            ("a.example", "a.example:8080"), ("::1", "::1"), ("::1", "::1:8080"),
            ("127.0.0.1", "127.0.0.1:1"), ("LOCALHOST.", "localhost"), ("127.1", "127.0.0.1"),
            ("[0:0::1]:8080", "::1:8080"), ("S3://Bucket", "s3://bucket"),
        ]
    )
    func ports(setting: String, host: String) async throws {
        let limits = HostRateLimiter.Limits(rate: 1e6, burst: 1_000, concurrency: 2)
        let one = HostRateLimiter.Limits(rate: 1e6, burst: 1_000, concurrency: 1)
        let rateLimiter = HostRateLimiter(limits: limits, hosts: [setting: one])
        let first = try await rateLimiter.acquire(host: host)
        let second = Task { try await rateLimiter.acquire(host: host) }
        try await rateLimiter.wait(for: 1, at: host)
        first.release(.answered)
        _ = try await second.value
    }
}
