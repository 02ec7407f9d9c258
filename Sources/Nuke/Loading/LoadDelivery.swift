import Foundation
import FoundationNetworking
import Synchronization

/// The consumer's end of one load that goes through several: keeps the contract of ``DataLoading`` for them.
///
/// Chunks come in their order, then exactly one end, then nothing. Cancelling ends at once, or as soon as the chunk
/// that is being taken has been, and cancels what runs for it.
final class LoadDelivery: PrioritizedCancellable {
    private struct State {
        var isOver = false
        var isDelivering = false
        var hasDelivered = false
        /// The end, while the consumer still takes a chunk.
        var pending: (@Sendable () -> Void)?
        var load: (any Cancellable)?
        var number = 0
        var priority: Operation.QueuePriority
    }

    /// Where each transfer of the load takes a place; nil if they need none.
    let slots: OperationQueue?

    private let didReceiveResponse: (@Sendable (URLResponse) -> Void)?
    private let didReceiveData: @Sendable (Data, URLResponse) -> Void
    private let completion: @Sendable ((any Error)?) -> Void
    private let state: Mutex<State>

    init(
        slots: OperationQueue? = nil,
        priority: Operation.QueuePriority = .normal,
        didReceiveResponse: (@Sendable (URLResponse) -> Void)? = nil,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        self.slots = slots
        state = Mutex(State(priority: priority))
        self.didReceiveResponse = didReceiveResponse
        self.didReceiveData = didReceiveData
        self.completion = completion
    }

    /// The load's place among those that wait.
    var priority: Operation.QueuePriority { state.withLock { $0.priority } }

    /// Whether the consumer has bytes already.
    var hasDelivered: Bool { state.withLock { $0.hasDelivered } }

    /// Whether the end has come.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts what runs for the load from now on; not after the end.
    func begin(_ start: () -> any Cancellable) {
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.number += 1
            state.load = nil
            return state.number
        }
        guard let number else { return }
        let load = start()
        let (isOver, priority) = state.withLock { state in
            // It may have ended while it was started, and another begun.
            if !state.isOver, state.number == number { state.load = load }
            return (state.isOver, state.priority)
        }
        if isOver { load.cancel() } else { (load as? any PrioritizedCancellable)?.setPriority(priority) }
    }

    /// Shows the consumer the head of the answer, if it wants it.
    func respond(_ response: URLResponse) {
        guard let didReceiveResponse, !isOver else { return }
        hand { didReceiveResponse(response) }
    }

    /// Gives the consumer the next chunk.
    func deliver(_ chunk: Data, _ response: URLResponse) {
        state.withLock { $0.hasDelivered = true }
        hand { didReceiveData(chunk, response) }
    }

    /// Tells the consumer the end, the first time.
    func finish(_ error: (any Error)?) {
        let isNow = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            state.load = nil
            guard state.isDelivering else { return true }
            state.pending = { [completion] in completion(error) }
            return false
        }
        if isNow { completion(error) }
    }

    /// Tells the consumer the end, and cancels what runs for the load.
    func stop(_ error: (any Error)?) {
        let load = state.withLock { $0.isOver ? nil : $0.load }
        finish(error)
        load?.cancel()
    }

    func cancel() {
        stop(CancellationError())
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        let load = state.withLock { state in
            state.priority = priority
            return state.load
        }
        (load as? any PrioritizedCancellable)?.setPriority(priority)
    }

    private func hand(_ call: () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.isDelivering = true }
            return state.isOver
        }
        guard !isOver else { return }
        call()
        let pending = state.withLock { state in
            state.isDelivering = false
            defer { state.pending = nil }
            return state.pending
        }
        pending?()
    }
}

/// A task that something else than its owner may cancel.
struct CancellableTask: Cancellable {
    let task: Task<Void, Never>

    func cancel() {
        task.cancel()
    }
}
