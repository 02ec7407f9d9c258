import Files
import Foundation
import FoundationNetworking
import Synchronization

/// A load of ``CurlDataLoader`` from a file or from the URL itself, on a thread of a queue.
final class LocalLoad: PrioritizedCancellable {
    private let resource: LocalResource
    private let limit: Int?
    private let handle = OperationHandle()
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    /// Creates a load of at most `limit` bytes.
    init(_ resource: LocalResource, limit: Int?) {
        self.resource = resource
        self.limit = limit
    }

    func start(
        in queue: WorkQueue,
        priority: Operation.QueuePriority,
        into sink: LoadSink
    ) {
        let task = Task {
            do {
                let (data, response) = try await queue.run(priority: priority, handle: handle) {
                    try self.resource.load(limit: self.limit)
                }
                try Task.checkCancellation()
                if !data.isEmpty { sink.didReceiveData(data, response) }
                sink.completion(nil)
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
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        handle.setPriority(priority)
    }
}
