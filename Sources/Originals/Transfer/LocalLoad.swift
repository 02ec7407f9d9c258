import Files
import Foundation
import FoundationNetworking

/// A load of ``CurlDataLoader`` from a file or from the URL itself, on a thread of a queue.
final class LocalLoad: PrioritizedCancellable {
    private let handle: OperationHandle
    private let task: Task<Void, Never>

    /// Starts a load of at most `limit` bytes.
    init(
        _ resource: LocalResource,
        limit: Int?,
        in queue: WorkQueue,
        priority: Operation.QueuePriority,
        into sink: LoadSink
    ) {
        let handle = OperationHandle()
        self.handle = handle
        task = Task {
            do {
                let (data, response) = try await queue.run(priority: priority, handle: handle) {
                    try resource.load(limit: limit)
                }
                try Task.checkCancellation()
                if !data.isEmpty { sink.didReceiveData(data, response) }
                sink.completion(nil)
            } catch {
                sink.completion(error)
            }
        }
    }

    func cancel() {
        task.cancel()
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        handle.setPriority(priority)
    }
}
