import Foundation
import FoundationNetworking
import Synchronization

/// Data that was brought for a request.
struct LoadedData: Sendable {
    let data: Data
    let response: URLResponse?
    /// Whether it may go to the disk: not what came from there.
    let isStorable: Bool
}

/// One load of original data, whose priority can change while it waits.
final class OriginalLoad: Sendable {
    private struct State {
        var priority = Operation.QueuePriority.normal
        var slot: SlotOperation?
        var load: (any PrioritizedCancellable)?
    }

    private let state = Mutex(State())

    /// Moves what waits to another place.
    func setPriority(_ priority: Operation.QueuePriority) {
        let (slot, load) = state.withLock { state in
            state.priority = priority
            return (state.slot, state.load)
        }
        slot?.queuePriority = priority
        load?.setPriority(priority)
    }

    /// Brings the data of `request` from where it is: a closure, the disk, the URL itself or the network.
    /// - Throws: `ImagePipeline.Error`, `CancellationError`, or the error of the source.
    func run(_ request: ImageRequest, for pipeline: ImagePipeline) async throws -> LoadedData {
        let queue = pipeline.configuration.dataLoadingQueue
        if case .data(_, let closure) = request.resource {
            let data = try await holdingSlot(in: queue, for: request) { try await closure() }
            return LoadedData(data: data, response: nil, isStorable: true)
        }
        guard let urlRequest = request.urlRequest, let url = urlRequest.url else { throw URLError(.badURL) }
        if pipeline.configuration.isLocalResourcesSupportEnabled, let local = LocalResource(url) {
            let limit = pipeline.configuration.maximumResponseDataSize
            let data = try await WorkQueue(queue).run(priority: state.withLock { $0.priority }) {
                try local.read(limit: limit)
            }
            return LoadedData(data: data, response: nil, isStorable: false)
        }
        return try await download(urlRequest, request, pipeline)
    }

    private func download(
        _ urlRequest: URLRequest,
        _ request: ImageRequest,
        _ pipeline: ImagePipeline
    ) async throws -> LoadedData {
        let loader = pipeline.delegate.dataLoader(for: request, pipeline: pipeline)
        let queue = pipeline.configuration.dataLoadingQueue
        let body = ResponseBody(limit: pipeline.configuration.maximumResponseDataSize)
        let willLoad = {
            try await pipeline.delegate.willLoadData(for: request, urlRequest: urlRequest, pipeline: pipeline)
        }
        if let loader = loader as? any SlottedDataLoading, !request.options.contains(.skipDataLoadingQueue) {
            let urlRequest = try await willLoad()
            return try await body.receive { [self] in
                let load = loader.loadData(
                    with: urlRequest,
                    priority: state.withLock { $0.priority },
                    slots: queue,
                    didReceiveData: body.append,
                    completion: body.end
                )
                let priority = state.withLock { state in
                    state.load = load
                    return state.priority
                }
                load.setPriority(priority)
                return load
            }
        }
        return try await holdingSlot(in: queue, for: request) {
            let urlRequest = try await willLoad()
            return try await body.receive {
                loader.loadData(with: urlRequest, didReceiveData: body.append, completion: body.end)
            }
        }
    }

    /// Runs `work` with a place in `queue`, unless the request passes it by.
    private func holdingSlot<Output: Sendable>(
        in queue: OperationQueue,
        for request: ImageRequest,
        _ work: () async throws -> Output
    ) async throws -> Output {
        guard !request.options.contains(.skipDataLoadingQueue) else { return try await work() }
        let slot = SlotOperation()
        slot.queuePriority = state.withLock { state in
            state.slot = slot
            return state.priority
        }
        try await slot.begin(in: queue)
        defer { slot.finish() }
        return try await work()
    }
}
