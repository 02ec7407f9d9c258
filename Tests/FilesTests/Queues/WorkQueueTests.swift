import Foundation
import Files
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WorkQueueTests {
    @Test func runsTenThousandPieces() async throws {
        let queue = WorkQueue(name: "test", width: 2)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10_000 { group.addTask { try await queue.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 49_995_000)
    }

    @Test func throwsWhatTheWorkThrows() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await WorkQueue(name: "test", width: 1).run { throw Failure() }
        }
    }

    @Test func aCancelledTaskDoesNotWaitForItsTurn() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        queue.queue.isSuspended = true
        let order = Order()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await queue.run { order.append(1) }
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            group.cancelAll()
            for await wasCancelled in group { #expect(wasCancelled) }
        }
        queue.queue.isSuspended = false
        try await queue.run {}
        #expect(order.numbers.isEmpty)
    }

    @Test func aCancelledQueueResumesWhoWaits() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        queue.queue.isSuspended = true
        let waiting = Task { try await queue.run { 1 } }
        try await eventually { queue.queue.operationCount > 0 }
        queue.queue.cancelAllOperations()
        queue.queue.isSuspended = false
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func workThatHasBegunRunsToItsEnd() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let running = Task {
            try await queue.run {
                begun.signal()
                go.wait()
                return 7
            }
        }
        await wait(for: begun)
        running.cancel()
        go.signal()
        #expect(try await running.value == 7)
    }

    @Test func cancelsAtRandomMoments() async {
        let queue = WorkQueue(name: "test", width: 2)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let task = Task { try await queue.run { number } }
                    if number.isMultiple(of: 3) { await Task.yield() }
                    if !number.isMultiple(of: 4) { task.cancel() }
                    if let value = try? await task.value { #expect(value == number) }
                }
            }
        }
    }

    @Test func runsByPriorityWhichMayChange() async throws {
        let queue = WorkQueue(name: "test", width: 1)
        queue.queue.isSuspended = true
        let order = Order()
        let raised = OperationHandle()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, priority) in [
                (1, Operation.QueuePriority.low), (2, .normal), (3, .high), (4, .veryLow),
            ] {
                group.addTask {
                    try await queue.run(priority: priority, handle: number == 4 ? raised : nil) {
                        order.append(number)
                    }
                }
                try await eventually { queue.queue.operationCount >= number }
            }
            raised.setPriority(.veryHigh)
            queue.queue.isSuspended = false
            try await group.waitForAll()
        }
        #expect(order.numbers == [4, 3, 2, 1])
    }
}

/// Waits for a semaphore on a thread of its own.
func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            semaphore.wait()
            continuation.resume()
        }
    }
}
