package import Foundation
import Synchronization

/// A slot of an operation queue, held without a thread while a transfer runs elsewhere.
///
/// `enqueue(in:)` takes its place in the queue, `granted()` suspends until the queue grants the slot, by priority and then by
/// place, and `finish()` releases it.
// Unchecked because a subclass of Operation must say so: Operation itself may be used from any thread, and
// all that is added to it lies in a mutex.
package final class SlotOperation: Operation, @unchecked Sendable {
    private enum Phase {
        case new
        /// In the queue; somebody may wait for the slot already.
        case queued(CheckedContinuation<Void, any Error>?)
        case executing
        /// Released before the queue started it.
        case abandoned
        case finished
    }

    private let phase = Mutex(Phase.new)

    /// Takes the next place in `queue`; once only, and not if it was released before.
    package func enqueue(in queue: OperationQueue) {
        let isNew = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .queued(nil)
            return true
        }
        if isNew { queue.addOperation(self) }
    }

    /// Waits until the queue grants the slot.
    /// - Throws: `CancellationError` if the task or the queue was cancelled before, or if it was released.
    package func granted() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = phase.withLock { phase in
                    switch phase {
                    case .queued(nil):
                        phase = .queued(continuation)
                        return nil
                    case .executing: return .success(())
                    default: return .failure(CancellationError())
                    }
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish()
        }
    }

    /// Takes the next place in `queue`, and waits for the slot.
    /// - Throws: `CancellationError` if the task or the queue was cancelled before.
    package func begin(in queue: OperationQueue) async throws {
        enqueue(in: queue)
        try await granted()
    }

    /// Releases the slot, or stops waiting for it; may be called twice.
    package func finish() {
        let (continuation, wasExecuting): (CheckedContinuation<Void, any Error>?, Bool) = phase.withLock {
            phase in
            switch phase {
            case .new:
                phase = .abandoned
                return (nil, false)
            case .queued(let continuation):
                phase = .abandoned
                return (continuation, false)
            case .executing:
                phase = .finished
                return (nil, true)
            case .abandoned, .finished: return (nil, false)
            }
        }
        // The queue drops a cancelled operation without a slot as soon as it gets to it.
        cancel()
        continuation?.resume(throwing: CancellationError())
        if wasExecuting { announceEnd() }
    }

    override package func start() {
        let continuation: CheckedContinuation<Void, any Error>? = phase.withLock { phase in
            guard case .queued(let continuation) = phase else {
                phase = .finished
                return nil
            }
            phase = isCancelled ? .finished : .executing
            return continuation
        }
        if isExecuting {
            willChangeValue(forKey: "isExecuting")
            didChangeValue(forKey: "isExecuting")
            continuation?.resume()
        } else {
            announceEnd()
            continuation?.resume(throwing: CancellationError())
        }
    }

    private func announceEnd() {
        willChangeValue(forKey: "isFinished")
        didChangeValue(forKey: "isFinished")
    }

    override package var isAsynchronous: Bool { true }

    override package var isExecuting: Bool {
        phase.withLock { if case .executing = $0 { true } else { false } }
    }

    override package var isFinished: Bool {
        phase.withLock { if case .finished = $0 { true } else { false } }
    }
}
