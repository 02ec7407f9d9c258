import Foundation
import Synchronization

/// A load of a loader that knows no places: begins when it has one, and gives it back at its end.
final class PlacedLoad: PrioritizedCancellable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private let slot = SlotOperation()
    private let state = Mutex<(load: (any Cancellable)?, isCancelled: Bool)>((nil, false))

    /// Waits in `slots` and then starts.
    /// - Parameters:
    ///   - slots: The queue whose width bounds the transfers that run.
    ///   - priority: The place among those that wait.
    ///   - completion: Gets the end, `CancellationError` if it was cancelled before it had a place.
    ///   - start: Starts the load, which tells its end to the closure that it is given.
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
