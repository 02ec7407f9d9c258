import Foundation
import Nuke
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostGateTests {
    @Test func letsTheBurstThroughThenTheRate() async throws {
        let gate = HostGate(limits: .init(rate: 100, burst: 5, concurrency: 1_000))
        let start = ContinuousClock.now
        for _ in 0..<25 { try await gate.acquire(host: "a").release(.answered) }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(seconds >= 0.199)
    }

    @Test func letsOnlySoManyRunAtOnce() async throws {
        let gate = HostGate(limits: .init(rate: 1e6, burst: 1_000, concurrency: 2))
        let first = try await gate.acquire(host: "a")
        let second = try await gate.acquire(host: "a")
        let third = Task { try await gate.acquire(host: "a") }
        try await gate.wait(for: 1, at: "a")
        #expect(gate.waiting.first?.reason == .concurrency)
        _ = try await gate.acquire(host: "b")
        first.release(.answered)
        first.release(.answered)
        let permit = try await third.value
        permit.release(.unknown)
        second.release(.unknown)
    }

    @Test func goesByPriorityThenByOrder() async throws {
        let gate = HostGate(limits: .init(rate: 1e6, burst: 1_000, concurrency: 1))
        let first = try await gate.acquire(host: "a")
        let order = Order()
        let raised = LivePriority(.veryLow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let priorities: [LivePriority] = [.init(.normal), .init(.high), .init(.normal), raised]
            for (number, priority) in priorities.enumerated() {
                group.addTask {
                    let permit = try await gate.acquire(host: "a", priority: priority)
                    order.append(number)
                    permit.release(.answered)
                }
                try await gate.wait(for: number + 1, at: "a")
            }
            raised.priority = .veryHigh
            first.release(.answered)
            try await group.waitForAll()
        }
        #expect(order.numbers == [3, 1, 0, 2])
    }

    @Test func aPermitEndsWithItsLastReference() async throws {
        let gate = HostGate(limits: .init(concurrency: 1))
        _ = try await gate.acquire(host: "a")
        try await gate.acquire(host: "a").release(.answered)
    }

    @Test func aCancelledTaskLeavesTheLine() async throws {
        let gate = HostGate(limits: .init(rate: 1e6, burst: 1_000, concurrency: 1))
        let first = try await gate.acquire(host: "a")
        let waiting = Task { try await gate.acquire(host: "a") }
        try await gate.wait(for: 1, at: "a")
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(gate.waiting.isEmpty)
        first.release(.answered)
        try await gate.acquire(host: "a").release(.answered)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await gate.acquire(host: "a")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        try await gate.acquire(host: "a").release(.answered)
    }

    @Test func survivesCancellationAtRandomMoments() async throws {
        let gate = HostGate(limits: .init(rate: 1e6, burst: 1_000_000, concurrency: 2))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let task = Task { try await gate.acquire(host: "a").release(.answered) }
                    if number.isMultiple(of: 3) { await Task.yield() }
                    if number.isMultiple(of: 2) { task.cancel() }
                    try? await task.value
                }
            }
        }
        let permits = [try await gate.acquire(host: "a"), try await gate.acquire(host: "a")]
        #expect(gate.waiting.isEmpty)
        for permit in permits { permit.release(.unknown) }
    }

    @Test func saysWhichHostIsHeld() async throws {
        let gate = HostGate()
        try await gate.acquire(host: "a").release(.refused(retryAfter: .seconds(86_400)))
        let waiting = Task { try await gate.acquire(host: "a") }
        try await gate.wait(for: 1, at: "a")
        let shown = try #require(gate.waiting.first)
        #expect(shown.host == "a")
        #expect(shown.reason == .held)
        let remaining = try #require(shown.remaining)
        #expect(remaining > .seconds(3_500) && remaining <= .seconds(3_601))
        try await gate.acquire(host: "b").release(.answered)
        #expect(gate.learned(host: "a") == 68)
        #expect(gate.learned(host: "b") == nil)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func goesOnAfterAHold() async throws {
        let gate = HostGate()
        let start = ContinuousClock.now
        gate.hold(host: "a", for: .milliseconds(50))
        gate.hold(host: "a", for: .milliseconds(-5))
        try await gate.acquire(host: "a").release(.answered)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func restoresWhatWasLearned() async throws {
        let gate = HostGate(hosts: ["a": .init(rate: 30)])
        gate.restore(host: "a", rate: 12)
        #expect(gate.learned(host: "a") == 12)
        gate.restore(host: "a", rate: 100)
        #expect(gate.learned(host: "a") == 12)
    }

    @Test func startsEmptyWhereAsked() async throws {
        let gate = HostGate(limits: .init(rate: 50, burst: 25), idle: .zero)
        let start = ContinuousClock.now
        for _ in 0..<5 { try await gate.acquire(host: "a").release(.answered) }
        #expect(ContinuousClock.now - start >= .milliseconds(99))
    }

    @Test func forgetsHostsOfWhichNothingIsKnown() async throws {
        let gate = HostGate(limits: .init(rate: 1e9, burst: 1))
        for number in 0..<5_000 { try await gate.acquire(host: "\(number)").release(.answered) }
        gate.restore(host: "kept", rate: 5)
        for number in 5_000..<9_000 { try await gate.acquire(host: "\(number)").release(.answered) }
        #expect(gate.learned(host: "kept") == 5)
    }

    @Test(arguments: [
        ("http://A.example/x", "a.example"), ("https://a.example:443/", "a.example"),
        ("http://a.example:80", "a.example"),
        ("http://a.example:443/", "a.example:443"), ("http://127.0.0.1:8099/x?y", "127.0.0.1:8099"),
    ])
    func namesHosts(url: String, host: String) throws {
        #expect(HostGate.host(of: try #require(URL(string: url))) == host)
    }
}

extension HostGate {
    /// Suspends until so many requests wait for a host.
    func wait(for count: Int, at host: String) async throws {
        try await eventually { (waiting.first { $0.host == host }?.count ?? 0) >= count }
    }
}
