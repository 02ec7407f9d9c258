import Foundation
import FoundationNetworking
import Synchronization

extension DataLoading {
    /// The loader as a fetch of originals needs it.
    var original: any OriginalLoading {
        (self as? any OriginalLoading) ?? DataLoadingAdapter(loader: self)
    }
}

/// A loader that knows no slots: its load begins when there is one, in which the request is prepared, too.
private struct DataLoadingAdapter: OriginalLoading {
    let loader: any DataLoading

    var hasRateLimiter: Bool { false }

    func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        SlottedLoad(in: slots, priority: priority, completion: sink.completion) { end in
            let sink = sink.completing(end)
            guard let prepare else { return loader.load(request, into: sink) }
            return PreparedLoad(sink) {
                let prepared = try await prepare(request)
                try Task.checkCancellation()
                return loader.load(prepared, into: sink)
            }
        }
    }
}

/// A load that begins once its request is prepared.
private final class PreparedLoad: Cancellable {
    private struct State {
        var task: Task<Void, Never>?
        var load: (any Cancellable)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Starts what `start` returns; its error is the end of the load.
    init(_ sink: LoadSink, _ start: @escaping @Sendable () async throws -> any Cancellable) {
        let task = Task { [self] in
            do {
                let load = try await start()
                let isCancelled = state.withLock { state in
                    state.load = load
                    return state.isCancelled
                }
                if isCancelled { load.cancel() }
            } catch {
                sink.completion(error)
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let (task, load) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.load)
        }
        task?.cancel()
        load?.cancel()
    }
}
