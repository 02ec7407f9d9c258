import Files
import Foundation
import Synchronization

/// A load of a loader that knows no slots: it begins when it has one and releases it at its end.
final class SlottedLoad: PrioritizedCancellable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private struct State {
        var task: Task<Void, Never>?
        var load: (any Cancellable)?
        var isCancelled = false
    }

    private let slot = SlotOperation()
    private let state = Mutex(State())

    /// Waits in `slots` and then starts.
    /// - Parameters:
    ///   - slots: The queue whose width bounds the transfers that run.
    ///   - priority: The priority among those that wait.
    ///   - completion: Receives the end, `CancellationError` if it was cancelled before it had a slot.
    ///   - start: Starts the load, which must call the closure that it receives at its end; what it throws is the end. Nil if
    ///     nothing is left to cancel.
    init(
        in slots: OperationQueue,
        priority: Operation.QueuePriority,
        completion: @escaping Completion,
        start: @escaping @Sendable (@escaping Completion) async throws -> (any Cancellable)?
    ) {
        slot.queuePriority = priority
        let task = Task { [self] in
            let end: Completion = { [slot] error in
                slot.finish()
                completion(error)
            }
            do {
                try await slot.begin(in: slots)
                let load = try await start(end)
                let isCancelled = state.withLock { state in
                    state.load = load
                    return state.isCancelled
                }
                if isCancelled { load?.cancel() }
            } catch {
                end(error)
            }
        }
        state.withLock { $0.task = task }
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        slot.queuePriority = priority
    }

    func cancel() {
        let (task, load) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.load)
        }
        task?.cancel()
        slot.finish()
        load?.cancel()
    }
}
