import Files
import Foundation
import Synchronization

/// One prefetch, from its wait for a slot to its end.
final class Prefetch: Sendable {
    private enum Work {
        case image(ImageTask)
        case data(DataTask)

        func setPriority(_ priority: ImageRequest.Priority) {
            switch self {
            case .image(let task): task.priority = priority
            case .data(let task): task.priority = priority
            }
        }

        func cancel() {
            switch self {
            case .image(let task): task.cancel()
            case .data(let task): task.cancel()
            }
        }
    }

    private struct State {
        var priority: ImageRequest.Priority
        var work: Work?
        var isCancelled = false
    }

    let request: ImageRequest
    private let pipeline: ImagePipeline
    private let destination: ImagePrefetcher.Destination
    private let slot = SlotOperation()
    private let state: Mutex<State>

    init(_ request: ImageRequest, in pipeline: ImagePipeline, to destination: ImagePrefetcher.Destination) {
        self.request = request
        self.pipeline = pipeline
        self.destination = destination
        state = Mutex(State(priority: request.priority))
        slot.queuePriority = request.priority.queuePriority
    }

    /// Takes the next place in `queue`, waits for its slot, fetches the image and reports the result; not if it was cancelled.
    func begin(
        in queue: OperationQueue,
        tell: @escaping @Sendable (Result<Void, ImagePipeline.Error>) -> Void
    ) {
        // Here, not in the task: tasks start in any order, and images are fetched in the order of the requests.
        slot.enqueue(in: queue)
        Task {
            guard (try? await slot.granted()) != nil else { return }
            defer { slot.finish() }
            guard let work = start() else { return }
            let result: Result<Void, ImagePipeline.Error>
            do throws(ImagePipeline.Error) {
                switch work {
                case .image(let task): _ = try await task.response
                case .data(let task): _ = try await task.value
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            guard state.withLock({ !$0.isCancelled }) else { return }
            tell(result)
        }
    }

    /// Changes the priority of the prefetch, or of the task that it waits for.
    func setPriority(_ priority: ImageRequest.Priority) {
        slot.queuePriority = priority.queuePriority
        let work = state.withLock { state in
            state.priority = priority
            return state.work
        }
        work?.setPriority(priority)
    }

    /// Cancels the prefetch; its result is not reported.
    func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work
        }
        slot.finish()
        work?.cancel()
    }

    private func start() -> Work? {
        guard let priority = state.withLock({ $0.isCancelled ? nil : $0.priority }) else { return nil }
        var request = request
        request.priority = priority
        // Outside the lock: the delegate, which is told at once, may change the prefetcher.
        let work: Work =
            switch destination {
            case .memoryCache: .image(pipeline.imageTask(with: request))
            case .diskCache: .data(pipeline.dataTask(with: request))
            }
        let (isCancelled, newPriority) = state.withLock { state in
            state.work = work
            return (state.isCancelled, state.priority)
        }
        if isCancelled { work.cancel() }
        if newPriority != priority { work.setPriority(newPriority) }
        return work
    }
}
