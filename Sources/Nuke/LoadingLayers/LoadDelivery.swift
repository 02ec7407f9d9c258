package import Foundation
package import FoundationNetworking
import Synchronization

/// The delivery of one load made of several: it keeps the contract of ``DataLoading`` towards the consumer.
///
/// Chunks come in order, then exactly one end, then nothing. A cancellation ends it at once, or after the chunk
/// that is being delivered, and cancels the running load.
package final class LoadDelivery: PrioritizedCancellable {
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

    /// The queue in which each transfer of the load takes a slot; nil if it needs none.
    let slots: OperationQueue?

    private let sink: LoadSink
    private let state: Mutex<State>

    init(to sink: LoadSink, slots: OperationQueue? = nil, priority: Operation.QueuePriority = .normal) {
        self.sink = sink
        self.slots = slots
        state = Mutex(State(priority: priority))
    }

    var priority: Operation.QueuePriority { state.withLock { $0.priority } }

    /// True if the consumer has received bytes.
    var hasDelivered: Bool { state.withLock { $0.hasDelivered } }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts the next load of the delivery; not after the end.
    package func begin(_ start: () -> any Cancellable) {
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.number += 1
            state.load = nil
            return state.number
        }
        guard let number else { return }
        let load = start()
        let (isOver, priority) = state.withLock { state in
            // It may have ended meanwhile, and another begun.
            if !state.isOver, state.number == number { state.load = load }
            return (state.isOver, state.priority)
        }
        if isOver { load.cancel() } else { (load as? any PrioritizedCancellable)?.setPriority(priority) }
    }

    /// Delivers the head of the answer, if the consumer wants it.
    package func respond(_ response: URLResponse) {
        guard let didReceiveResponse = sink.didReceiveResponse, !isOver else { return }
        hand { didReceiveResponse(response) }
    }

    /// Delivers the next chunk.
    package func deliver(_ chunk: Data, _ response: URLResponse) {
        state.withLock { $0.hasDelivered = true }
        hand { sink.didReceiveData(chunk, response) }
    }

    /// Delivers the end; only the first call counts.
    package func finish(_ error: (any Error)?) {
        let isNow = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            state.load = nil
            guard state.isDelivering else { return true }
            state.pending = { [sink] in sink.completion(error) }
            return false
        }
        if isNow { sink.completion(error) }
    }

    /// Delivers the end, and cancels the running load.
    package func stop(_ error: (any Error)?) {
        let load = state.withLock { $0.isOver ? nil : $0.load }
        finish(error)
        load?.cancel()
    }

    package func cancel() {
        stop(CancellationError())
    }

    package func setPriority(_ priority: Operation.QueuePriority) {
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
            return state.pending.take()
        }
        pending?()
    }
}

/// A Swift task as a cancellable load.
package struct CancellableTask: Cancellable {
    let task: Task<Void, Never>

    package init(_ work: @escaping @Sendable () async -> Void) {
        task = Task { await work() }
    }

    package func cancel() {
        task.cancel()
    }
}
