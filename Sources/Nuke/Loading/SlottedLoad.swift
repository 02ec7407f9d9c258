import Files
import Foundation
import Synchronization

/// A load of a loader that knows no slots: it begins when it has one and releases it at its end.
final class SlottedLoad: PrioritizedCancellable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private let slot = SlotOperation()
    private let state = Mutex<(load: (any Cancellable)?, isCancelled: Bool)>((nil, false))

    /// Waits in `slots` and then starts.
    /// - Parameters:
    ///   - slots: The queue whose width bounds the transfers that run.
    ///   - priority: The priority among those that wait.
    ///   - completion: Receives the end, `CancellationError` if it was cancelled before it had a slot.
    ///   - start: Starts the load, which must call the closure that it receives at its end.
    init(
        in slots: OperationQueue,
        priority: Operation.QueuePriority,
        completion: @escaping Completion,
        start: @escaping @Sendable (@escaping Completion) -> any Cancellable
    ) {
        slot.queuePriority = priority
        Task { [self] in
            do {
                try await slot.begin(in: slots)
            } catch {
                return completion(error)
            }
            let load = start { [slot] error in
                slot.finish()
                completion(error)
            }
            let isCancelled = state.withLock { state in
                state.load = load
                return state.isCancelled
            }
            if isCancelled { load.cancel() }
        }
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        slot.queuePriority = priority
    }

    func cancel() {
        let load = state.withLock { state in
            state.isCancelled = true
            return state.load
        }
        slot.finish()
        load?.cancel()
    }
}
