import Nuke
import Testing

/// Hosts that do not answer, at the gate.
@Suite(.timeLimit(.minutes(1)))
struct HostGateFailureTests {
    private func gate(_ clock: TestClock) -> HostGate {
        HostGate(
            limits: .init(rate: 1e6, burst: 1_000, concurrency: 4),
            hosts: [:],
            idle: nil,
            breaking: .init(),
            outage: .init(),
            clock: clock
        )
    }

    private func fail(_ gate: HostGate, _ host: String, _ count: Int) async throws {
        for _ in 0..<count { try await gate.acquire(host: host).release(.unreachable) }
    }

    @Test func leavesADeadHostAloneThenGivesItUp() async throws {
        let clock = TestClock()
        let gate = gate(clock)
        try await fail(gate, "a", 5)
        #expect(clock.pauses.isEmpty)
        try await fail(gate, "a", 1)
        #expect(clock.now.offset >= .seconds(30))
        try await gate.acquire(host: "b").release(.answered)
        try await fail(gate, "a", 1)
        #expect(clock.now.offset >= .seconds(90))
        await #expect(throws: HostDownError.self) { _ = try await gate.acquire(host: "a") }
        let lesson = try #require(gate.lessons.first { $0.host == "a" })
        #expect(lesson.isDown && lesson.failStreak == 7 && lesson.hold <= .zero)
    }

    @Test func goesOnFromAnEarlierRunsFailures() async throws {
        let gate = gate(TestClock())
        gate.restore(host: "a", failStreak: 7)
        try await fail(gate, "a", 1)
        await #expect(throws: HostDownError.self) { _ = try await gate.acquire(host: "a") }
        gate.restore(host: "b", failStreak: 7)
        try await gate.acquire(host: "b").release(.answered)
        #expect(!gate.lessons.contains { $0.host == "b" })
    }

    @Test func whoWaitsForAHostThatIsGivenUpIsTold() async throws {
        let gate = gate(TestClock())
        gate.restore(host: "a", failStreak: 6)
        let probe = try await gate.acquire(host: "a")
        let waiting = Task { try await gate.acquire(host: "a") }
        try await gate.wait(for: 1, at: "a")
        #expect(gate.waiting.first?.reason == .unreachable)
        probe.release(.unreachable)
        await #expect(throws: HostDownError.self) { _ = try await waiting.value }
    }

    @Test func anOutageIsNoHostsFaultAndIsProbedByOneRequest() async throws {
        let gate = gate(TestClock(isHolding: false))
        for _ in 0..<4 {
            for host in ["a", "b", "c", "d", "e"] where gate.outage == nil {
                try await gate.acquire(host: host).release(.unreachable)
            }
        }
        #expect(gate.outage != nil)
        #expect(gate.lessons.allSatisfy { $0.failStreak == 0 })
        let probe = try await gate.acquire(host: "a")
        let waiting = Task { try await gate.acquire(host: "b") }
        try await gate.wait(for: 1, at: "b")
        #expect(gate.waiting.first?.reason == .outage)
        probe.release(.answered)
        try await waiting.value.release(.answered)
        #expect(gate.outage == nil)
    }
}
