import TestSupport
import Testing

@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct AdmissionTests {
    private struct Fault: Error {}

    private let started = Recorded<String>()

    /// Starts work that is admitted or in line when the call returns, and that ends when `gate` opens.
    private func start(_ name: String, _ bytes: Int, in admission: Admission, until gate: Gate)
        -> Task<Void, any Error>
    {
        Task.immediate { [started] in
            try await admission.admit(bytes) {
                started.add(name)
                await gate.wait()
            }
        }
    }

    @Test("as many work at once as there are slots, in the order in which they came")
    func slots() async throws {
        let admission = Admission(memory: 100, slots: 2)
        let gates = (0..<5).map { _ in Gate() }
        let tasks = (0..<5).map { start("\($0)", 1, in: admission, until: gates[$0]) }
        #expect(started.all == ["0", "1"])
        for ended in 0..<3 {
            gates[ended].open()
            try await tasks[ended].value
            try await eventually { started.all.count > ended + 2 }
            #expect(started.all == (0..<ended + 3).map { "\($0)" })
        }
        for gate in gates { gate.open() }
        for task in tasks { try await task.value }
        #expect(started.all == ["0", "1", "2", "3", "4"])
    }

    @Test("the memory is shared to its last byte, and no further")
    func bytes() async throws {
        let admission = Admission(memory: 10, slots: 8)
        let (first, second, third) = (Gate(), Gate(), Gate())
        let six = start("six", 6, in: admission, until: first)
        let four = start("four", 4, in: admission, until: second)
        let one = start("one", 1, in: admission, until: third)
        #expect(started.all == ["six", "four"])
        first.open()
        try await six.value
        try await eventually { started.all.count == 3 }
        for gate in [second, third] { gate.open() }
        try await four.value
        try await one.value
        // All of it is free again.
        let last = start("ten", 10, in: admission, until: first)
        #expect(started.all.last == "ten")
        try await last.value
    }

    @Test("what fits does not overtake what waits")
    func overtaking() async throws {
        let admission = Admission(memory: 10, slots: 3)
        let gate = Gate()
        let tasks = [("a", 6), ("b", 6), ("c", 1)].map { start($0.0, $0.1, in: admission, until: gate) }
        #expect(started.all == ["a"])
        gate.open()
        for task in tasks { try await task.value }
        #expect(Set(started.all) == ["a", "b", "c"])
    }

    @Test("work that is larger than the memory is admitted alone")
    func larger() async throws {
        let admission = Admission(memory: 10, slots: 0)
        let gate = Gate()
        let large = start("large", 1000, in: admission, until: gate)
        let small = start("small", 1, in: admission, until: gate)
        #expect(started.all == ["large"])
        gate.open()
        try await large.value
        try await small.value
        #expect(started.all == ["large", "small"])
    }

    @Test("a cancelled waiter leaves, and those behind it go")
    func cancellation() async throws {
        let admission = Admission(memory: 10, slots: 3)
        let gate = Gate()
        let first = start("first", 6, in: admission, until: gate)
        let waiting = start("waiting", 6, in: admission, until: gate)
        let behind = start("behind", 4, in: admission, until: gate)
        #expect(started.all == ["first"])
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await eventually { started.all.count == 2 }
        #expect(started.all == ["first", "behind"])
        gate.open()
        try await first.value
        try await behind.value
        #expect(try await admission.admit(10) { 1 } == 1)
        #expect(started.all == ["first", "behind"])
    }

    @Test("a task that was cancelled before does no work and takes nothing")
    func cancelledBefore() async throws {
        let admission = Admission(memory: 10, slots: 1)
        let task = Task { [started] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await admission.admit(10) { started.add("cancelled") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(started.all.isEmpty)
        let gate = Gate()
        gate.open()
        let next = start("next", 10, in: admission, until: gate)
        #expect(started.all == ["next"])
        try await next.value
    }

    @Test("after a stop nothing is admitted, waiting or new, and what was admitted may go on")
    func stop() async throws {
        let admission = Admission(memory: 10, slots: 1, grace: .seconds(3600))
        let gate = Gate()
        let first = start("first", 10, in: admission, until: gate)
        let waiting = start("waiting", 1, in: admission, until: gate)
        admission.stop()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await #expect(throws: CancellationError.self) { try await admission.admit(0) {} }
        #expect(throws: Never.self) { try admission.checkTime() }
        gate.open()
        try await first.value
        #expect(started.all == ["first"])
        let hasty = Admission(memory: 10, slots: 1, grace: .zero)
        #expect(throws: Never.self) { try hasty.checkTime() }
        hasty.stop()
        #expect(throws: CancellationError.self) { try hasty.checkTime() }
    }

    @Test("work that throws gives its slot and bytes back")
    func throwing() async throws {
        let admission = Admission(memory: 10, slots: 1)
        for _ in 0..<3 {
            await #expect(throws: Fault.self) { try await admission.admit(7) { throw Fault() } }
        }
        let gate = Gate()
        gate.open()
        let next = start("next", 10, in: admission, until: gate)
        #expect(started.all == ["next"])
        try await next.value
    }
}
