import Foundation
import FoundationNetworking
import Synchronization

/// Data that was brought for a request.
struct LoadedData: Sendable {
    let data: Data
    let response: URLResponse?
    /// Whether it may go to the disk: not what came from there, nor what is on this machine.
    let isStorable: Bool
    /// The cache that it came from.
    var cacheType: ImageResponse.CacheType?
    /// What was kept of it on the disk while it came, in case it would break off; removed with the last reference, or
    /// when the whole is stored.
    var partial: PartialDownload?
}

/// What has come of a load so far.
struct LoadedPart: Sendable {
    let progress: ImageTask.Progress
    /// All bytes so far, where somebody wants to see them.
    let data: LoadedData?
}

/// One load of original data, whose priority can change while it waits.
final class OriginalLoad: Sendable {
    private struct State {
        var priority = Operation.QueuePriority.normal
        var slot: SlotOperation?
        var load: (any PrioritizedCancellable)?
    }

    private let state = Mutex(State())
    private let gatePriority = LivePriority(.normal)
    private let reading = WorkHandle()
    private let onPart: (@Sendable (LoadedPart) -> Void)?

    /// A load; `onPart` is told of each chunk on the loader's thread, in order.
    init(onPart: (@Sendable (LoadedPart) -> Void)? = nil) {
        self.onPart = onPart
    }

    /// Moves what waits to another place.
    func setPriority(_ priority: Operation.QueuePriority) {
        let (slot, load) = state.withLock { state in
            state.priority = priority
            return (state.slot, state.load)
        }
        gatePriority.priority = priority
        reading.setPriority(priority)
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
            let isQueued = !request.options.contains(.skipDataLoadingQueue)
            let data = try await (isQueued ? WorkQueue(queue) : pipeline.cachingQueue)
                .run(priority: state.withLock { $0.priority }, handle: reading) {
                    try local.imageData(limit: limit)
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
        let partial = await pipeline.partialDownload(for: request, urlRequest)
        let resumable =
            partial?.takeResumableData() ?? pipeline.takeResumableData(for: request, urlRequest)
        var resuming = urlRequest
        resumable?.resume(request: &resuming)
        let isResuming = resumable != nil
        let body = body(pipeline, resumable, partial)
        do {
            return try await receive(body, resuming, request, pipeline)
        } catch {
            guard isResuming, body.isResumeRefused(error) else {
                throw keep(body, error, request, urlRequest, pipeline)
            }
        }
        // What the server has now is not what it had, or it lied about the part.
        let whole = self.body(pipeline, nil, partial)
        do {
            return try await receive(whole, urlRequest, request, pipeline)
        } catch {
            throw keep(whole, error, request, urlRequest, pipeline)
        }
    }

    /// Keeps what came of a load that broke off.
    /// - Returns: `error`.
    private func keep(
        _ body: ResponseBody,
        _ error: any Error,
        _ request: ImageRequest,
        _ urlRequest: URLRequest,
        _ pipeline: ImagePipeline
    ) -> any Error {
        body.end(error)
        pipeline.keepResumableData(body.resumableData, for: request, urlRequest)
        return error
    }

    private func body(
        _ pipeline: ImagePipeline,
        _ resumable: ResumableData?,
        _ partial: PartialDownload?
    ) -> ResponseBody {
        ResponseBody(
            limit: pipeline.configuration.maximumResponseDataSize,
            resuming: resumable,
            partial: partial,
            keepsParts: pipeline.configuration.isProgressiveDecodingEnabled,
            onPart: onPart
        )
    }

    private func receive(
        _ body: ResponseBody,
        _ urlRequest: URLRequest,
        _ request: ImageRequest,
        _ pipeline: ImagePipeline
    ) async throws -> LoadedData {
        let loader = pipeline.dataLoader(for: request)
        let queue = pipeline.configuration.dataLoadingQueue
        // Given back with its last reference.
        let permit = try await permit(for: urlRequest, loader, pipeline)
        defer { withExtendedLifetime(permit) {} }
        let prepare = pipeline.preparation(of: request)
        if let loader = loader as? any SlottedDataLoading, !request.options.contains(.skipDataLoadingQueue) {
            return try await body.receive { [self] in
                let load = loader.loadData(
                    with: urlRequest,
                    priority: state.withLock { $0.priority },
                    slots: queue,
                    prepare: prepare,
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
            let urlRequest = try await prepare?(urlRequest) ?? urlRequest
            return try await body.receive {
                loader.loadData(with: urlRequest, didReceiveData: body.append, completion: body.end)
            }
        }
    }

    /// The host's leave to ask it, which the pipeline's gate gives unless the loader has a gate of its own.
    private func permit(
        for urlRequest: URLRequest,
        _ loader: any DataLoading,
        _ pipeline: ImagePipeline
    ) async throws -> Permit? {
        guard pipeline.configuration.isRateLimiterEnabled, let url = urlRequest.url,
            !loader.hasGate
        else { return nil }
        return try await pipeline.gate.acquire(host: HostGate.host(of: url), priority: gatePriority)
    }

    /// Runs `work` with a place in `queue`, unless the request passes it by.
    func holdingSlot<Output: Sendable>(
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

extension LocalResource {
    /// The bytes; too many are the pipeline's own error.
    fileprivate func imageData(limit: Int?) throws -> Data {
        do throws(DataLoadingError) {
            return try read(limit: limit).data
        } catch {
            throw error.reason == .tooLarge
                ? ImagePipeline.Error.dataDownloadExceededMaximumSize as any Error : error
        }
    }
}

extension ImagePipeline {
    /// What the delegate does to a request before it is sent; nil where there is none who could.
    fileprivate func preparation(of request: ImageRequest) -> RequestPreparation? {
        guard !(delegate is DefaultDelegate) else { return nil }
        return { [self] in try await delegate.willLoadData(for: request, urlRequest: $0, pipeline: self) }
    }
}
