import Foundation
import Files
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SlotOperationTests {
    let queue = OperationQueue()

    @Test func neverHoldsMoreThanTheWidth() async throws {
        queue.maxConcurrentOperationCount = 3
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let slot = SlotOperation()
                    try await slot.begin(in: queue)
                    gauge.enter()
                    await Task.yield()
                    gauge.leave()
                    slot.finish()
                    slot.finish()
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(gauge.most))
    }

    @Test func goesByPriority() async throws {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let order = Order()
        let last = SlotOperation()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, priority) in [(1, Operation.QueuePriority.low), (2, .high), (3, .veryLow)] {
                let slot = number == 3 ? last : SlotOperation()
                slot.queuePriority = priority
                group.addTask {
                    try await slot.begin(in: queue)
                    order.append(number)
                    slot.finish()
                }
                try await eventually { queue.operationCount >= number }
            }
            last.queuePriority = .veryHigh
            queue.isSuspended = false
            try await group.waitForAll()
        }
        #expect(order.numbers == [3, 2, 1])
    }

    @Test func aCancelledTaskGivesUpItsTurn() async throws {
        queue.maxConcurrentOperationCount = 1
        let first = SlotOperation()
        try await first.begin(in: queue)
        let second = Task { try await SlotOperation().begin(in: queue) }
        try await eventually { queue.operationCount >= 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        first.finish()
        let third = SlotOperation()
        try await third.begin(in: queue)
        third.finish()
    }

    @Test func aCancelledQueueResumesWhoWaits() async throws {
        queue.isSuspended = true
        let waiting = Task { try await SlotOperation().begin(in: queue) }
        try await eventually { queue.operationCount >= 1 }
        queue.cancelAllOperations()
        queue.isSuspended = false
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func keepsItsPlaceUntilSomebodyWaits() async throws {
        queue.maxConcurrentOperationCount = 1
        let slots = (0..<20).map { _ in SlotOperation() }
        for slot in slots { slot.enqueue(in: queue) }
        try await eventually { slots[0].isExecuting }
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, slot) in slots.enumerated().reversed() {
                group.addTask {
                    try await slot.granted()
                    order.append(number)
                    slot.finish()
                }
            }
            try await group.waitForAll()
        }
        #expect(order.numbers == Array(0..<20))
    }

    @Test func releasedInTheQueueIsNeverGranted() async throws {
        queue.isSuspended = true
        let slot = SlotOperation()
        slot.enqueue(in: queue)
        slot.finish()
        await #expect(throws: CancellationError.self) { try await slot.granted() }
        queue.isSuspended = false
        let next = SlotOperation()
        try await next.begin(in: queue)
        next.finish()
    }

    @Test func finishedBeforeItBeganNeverBegins() async throws {
        let slot = SlotOperation()
        slot.finish()
        await #expect(throws: CancellationError.self) { try await slot.begin(in: queue) }
        #expect(queue.operationCount == 0)
    }
}

/// Counts who is inside, and the most that were at once.
private final class Gauge: Sendable {
    private let state = Mutex((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }
    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }
    func leave() { state.withLock { $0.now -= 1 } }
}
