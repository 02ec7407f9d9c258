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
        let job = Job()
        let operation = JobOperation(job)
        operation.queuePriority = priority
        handle?.attach(operation) { job.fail($0) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isNew = job.wait {
                    let result = Result(catching: work)
                    if job.end() { continuation.resume(with: result) }
                } orFail: {
                    continuation.resume(throwing: $0)
                }
                if isNew { queue.addOperation(operation) }
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
private final class JobOperation: Operation, @unchecked Sendable {
    private let job: Job

    init(_ job: Job) {
        self.job = job
    }

    override func start() {
        if isCancelled { job.fail(CancellationError()) }
        super.start()
    }

    override func main() {
        job.begin()?()
    }
}

/// One piece of work: its waiting call is resumed exactly once, by the first end.
///
/// It knows no type of result: what is generic costs a look for its metadata at each use.
private final class Job: Sendable {
    typealias Work = @Sendable () -> Void
    typealias Failure = @Sendable (any Error) -> Void

    private enum State {
        case new
        case waiting(Work, Failure)
        case running(Failure)
        case ended
    }

    private let state = Mutex(State.new)

    /// Waits for a thread to do `work`; if the task was cancelled before, it fails at once, and false is returned.
    func wait(for work: @escaping Work, orFail failure: @escaping Failure) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(work, failure)
            return true
        }
        if !isNew { failure(CancellationError()) }
        return isNew
    }

    /// The work, if it is still wanted.
    func begin() -> Work? {
        state.withLock { state in
            guard case .waiting(let work, let failure) = state else { return nil }
            state = .running(failure)
            return work
        }
    }

    /// Returns true if the call still waits for the result of the work.
    func end() -> Bool {
        state.withLock { state in
            guard case .running = state else { return false }
            state = .ended
            return true
        }
    }

    func cancel() {
        let failure: Failure? = state.withLock { state in
            switch state {
            case .new:
                state = .ended
                return nil
            case .waiting(_, let failure):
                state = .ended
                return failure
            case .running, .ended: return nil
            }
        }
        failure?(CancellationError())
    }

    func fail(_ error: any Error) {
        let failure: Failure? = state.withLock { state in
            switch state {
            case .waiting(_, let failure), .running(let failure):
                state = .ended
                return failure
            case .new, .ended: return nil
            }
        }
        failure?(error)
    }
}
