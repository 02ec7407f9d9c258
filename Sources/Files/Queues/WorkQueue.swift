package import Foundation
import Synchronization

/// A bounded pool of threads for CPU work, as an async function; the work must never wait for anything.
package struct WorkQueue: Sendable {
    /// The queue that runs the work; its width is its `maxConcurrentOperationCount`.
    package let queue: OperationQueue

    /// Creates a work queue on top of an operation queue of the caller.
    package init(_ queue: OperationQueue) {
        self.queue = queue
    }

    /// Creates a work queue that runs at most `width` pieces of work at once.
    package init(name: String, width: Int) {
        queue = OperationQueue()
        queue.name = name
        queue.maxConcurrentOperationCount = width
    }

    /// Allows one more piece of work to run at once, in place of one that never ends.
    package func widen() {
        queue.maxConcurrentOperationCount += 1
    }

    /// Takes back one ``widen()``.
    package func narrow() {
        queue.maxConcurrentOperationCount -= 1
    }

    /// Runs `work` by priority, in order of arrival among equals.
    ///
    /// A task that is cancelled while its work waits gets a `CancellationError` at once, and the work never
    /// runs; work that has begun runs to its end.
    /// - Parameters:
    ///   - priority: The priority among the work that waits.
    ///   - handle: Changes the priority while the work waits, and gives up work that goes on too long.
    ///   - work: Runs on a thread of the queue.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws, `CancellationError` if the task or the queue was cancelled before, or what the work was
    ///   given up with.
    package func run<Value: Sendable>(
        priority: Operation.QueuePriority = .normal,
        handle: OperationHandle? = nil,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let job = Job<Value>()
        let operation = ClosureOperation(job, work)
        operation.queuePriority = priority
        handle?.attach(operation) { job.end(.failure($0)) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.wait(with: continuation) else { return }
                queue.addOperation(operation)
            }
        } onCancel: {
            operation.cancel()
            job.cancel()
        }
    }
}

/// Changes the priority of work that waits in a ``WorkQueue``, and gives up work that goes on too long.
package final class OperationHandle: Sendable {
    private struct State {
        /// Weak, since the work may hold the handle that gives it up.
        weak var operation: Operation?
        var giveUp: (@Sendable (any Error) -> Void)?
        var priority: Operation.QueuePriority?
    }

    private let state = Mutex(State())

    /// A handle for one piece of work.
    package init() {}

    /// Changes the priority of the work; without effect once it has begun.
    package func setPriority(_ priority: Operation.QueuePriority) {
        let operation = state.withLock { state in
            state.priority = priority
            return state.operation
        }
        operation?.queuePriority = priority
    }

    /// Fails the waiting call with `error` at once; the work itself continues, and its result is dropped.
    package func giveUp(with error: any Error) {
        state.withLock { $0.giveUp }?(error)
    }

    fileprivate func attach(_ operation: Operation, giveUp: @escaping @Sendable (any Error) -> Void) {
        let priority = state.withLock { state in
            (state.operation, state.giveUp) = (operation, giveUp)
            return state.priority
        }
        if let priority { operation.queuePriority = priority }
    }
}

/// An operation that also ends its job if it is cancelled before it starts; a completion block, which would do so too,
/// costs a thread's turn for each piece of work.
// Unchecked because a subclass of Operation must say so: Operation itself may be used from any thread, and
// what is added to it never changes.
private final class ClosureOperation<Value: Sendable>: Operation, @unchecked Sendable {
    private let job: Job<Value>
    private let work: @Sendable () throws -> Value

    init(_ job: Job<Value>, _ work: @escaping @Sendable () throws -> Value) {
        (self.job, self.work) = (job, work)
    }

    override func start() {
        if isCancelled { job.end(.failure(CancellationError())) }
        super.start()
    }

    override func main() {
        if job.begin() { job.end(Result(catching: work)) }
    }
}

/// One piece of work: its waiting call is resumed exactly once, by the first end.
private final class Job<Value: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Value, any Error>)
        case running(CheckedContinuation<Value, any Error>)
        case ended
    }

    private let state = Mutex(State.new)

    /// Returns false if the task was cancelled before, which has resumed the continuation.
    func wait(with continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isNew { continuation.resume(throwing: CancellationError()) }
        return isNew
    }

    func begin() -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return false }
            state = .running(continuation)
            return true
        }
    }

    func cancel() {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .new:
                state = .ended
                return nil
            case .waiting(let continuation):
                state = .ended
                return continuation
            case .running, .ended: return nil
            }
        }
        continuation?.resume(throwing: CancellationError())
    }

    func end(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .waiting(let continuation), .running(let continuation):
                state = .ended
                return continuation
            case .new, .ended: return nil
            }
        }
        continuation?.resume(with: result)
    }
}
