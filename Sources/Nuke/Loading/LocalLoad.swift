import Foundation
import FoundationNetworking
import Synchronization

/// A load of ``CurlDataLoader`` from a file or from the URL itself, on a thread of a queue.
final class LocalLoad: PrioritizedCancellable {
    private let resource: LocalResource
    private let limit: Int?
    private let handle = WorkHandle()
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    /// A load of at most `limit` bytes.
    init(_ resource: LocalResource, limit: Int?) {
        self.resource = resource
        self.limit = limit
    }

    func start(
        in queue: WorkQueue,
        priority: Operation.QueuePriority,
        _ receive: @escaping @Sendable (Data, URLResponse) -> Void,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let task = Task {
            do {
                let (data, response) = try await queue.run(priority: priority, handle: handle) {
                    try self.resource.load(limit: self.limit)
                }
                try Task.checkCancellation()
                if !data.isEmpty { receive(data, response) }
                completion(nil)
            } catch {
                completion(error)
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
