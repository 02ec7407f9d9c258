import Files
import Foundation
import FoundationNetworking
import Synchronization

/// One load of original data, whose priority can change while it waits.
final class OriginalLoad: Sendable {
    private struct State {
        var priority = Operation.QueuePriority.normal
        var slot: SlotOperation?
        var download: Download?
    }

    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let state = Mutex(State())
    private let reading = OperationHandle()
    private let onPart: (@Sendable (LoadedPart) -> Void)?

    /// Creates a load; `onPart` is called after each chunk on the loader's thread, in order.
    init(
        _ request: ImageRequest,
        in pipeline: ImagePipeline,
        onPart: (@Sendable (LoadedPart) -> Void)? = nil
    ) {
        self.request = request
        self.pipeline = pipeline
        self.onPart = onPart
    }

    /// Changes the priority of the load wherever it waits.
    func setPriority(_ priority: Operation.QueuePriority) {
        let (slot, download) = state.withLock { state in
            state.priority = priority
            return (state.slot, state.download)
        }
        reading.setPriority(priority)
        slot?.queuePriority = priority
        download?.setPriority(priority)
    }

    /// Returns the data of the request from its source: a closure, the disk, the URL itself or the network.
    /// - Throws: `ImagePipeline.Error`, `FetchError`, `CancellationError`, or the error of the source.
    func run() async throws -> LoadedData {
        if case .data(_, let closure) = request.resource {
            let data = try await holdingSlot { try await closure() }
            return LoadedData(data: data, received: nil, isStorable: true)
        }
        guard let urlRequest = request.urlRequest, let url = urlRequest.url else { throw URLError(.badURL) }
        if pipeline.configuration.isLocalResourcesSupportEnabled, let local = LocalResource(url) {
            let limit = pipeline.configuration.maximumResponseDataSize
            let queue = WorkQueue(slots ?? pipeline.configuration.dataCachingQueue)
            return try await queue.run(priority: state.withLock { $0.priority }, handle: reading) {
                LoadedData(data: try local.bytes(limit: limit), received: nil, isStorable: false)
            }
        }
        guard request.options.contains(.returnCacheDataDontLoad) else {
            return try await download(urlRequest)
        }
        var cached = urlRequest
        cached.cachePolicy = .returnCacheDataDontLoad
        do {
            return try await download(cached)
        } catch HTTPCacheError.notCached {
            throw ImagePipeline.Error.dataMissingInCache
        }
    }

    /// The queue in which the request takes a slot; nil if it skips that queue.
    private var slots: OperationQueue? {
        request.options.contains(.skipDataLoadingQueue) ? nil : pipeline.configuration.dataLoadingQueue
    }

    private func download(_ urlRequest: URLRequest) async throws -> LoadedData {
        let download = Download(
            pipeline.plan(of: request, urlRequest, in: slots ?? OperationQueue()),
            onPart: onPart
        )
        let priority = state.withLock { state in
            state.download = download
            return state.priority
        }
        download.setPriority(priority)
        do {
            return try await download.run()
        } catch let error as CancellationError {
            // A loader may end by the cancellation of something else, which is none of this request.
            try Task.checkCancellation()
            throw ImagePipeline.Error.dataLoadingFailed(error: error)
        }
    }

    /// Calls the request's closure with a slot of the loading queue, or without one if the request skips that queue.
    func holdingSlot<Output: Sendable>(_ closure: () async throws -> Output) async throws -> Output {
        guard let slots else { return try await ImagePipeline.Error.wrapping(closure) }
        let slot = SlotOperation()
        slot.queuePriority = state.withLock { state in
            state.slot = slot
            return state.priority
        }
        try await slot.begin(in: slots)
        defer { slot.finish() }
        return try await ImagePipeline.Error.wrapping(closure)
    }
}

extension ImagePipeline {
    /// Returns the plan of a request's download.
    fileprivate func plan(
        of request: ImageRequest,
        _ urlRequest: URLRequest,
        in slots: OperationQueue
    ) -> Download.Plan {
        let loader = dataLoader(for: request).original
        let dataCache = cache.dataCache(for: request) as? DataCache
        let mayWrite = !request.options.contains(.disableDiskCacheWrites)
        var plan = Download.Plan(urlRequest, with: loader, in: slots)
        if configuration.isRateLimiterEnabled, !loader.hasRateLimiter { plan.rateLimiter = rateLimiter }
        plan.prepare = preparation(of: request)
        plan.limit = configuration.maximumResponseDataSize
        // A cache that stores the data needs it.
        plan.isDigestComputed =
            dataCache != nil && delegate is DefaultDelegate && mayWrite
            && configuration.dataCachePolicy.storesOriginal(for: request)
        plan.keepsParts = configuration.isProgressiveDecodingEnabled
        plan.storage.folder = dataCache?.bodyFolder
        if configuration.isResumableDataEnabled {
            let key = cache.makeDataCacheKey(for: request.original)
            plan.remainder = Remainder(
                memory: request.imageID.map { (ObjectIdentifier(self), $0) },
                disk: mayWrite ? dataCache.map { ($0, key) } : nil
            )
        }
        return plan
    }

    /// The delegate's change of a request before it is sent; nil without a delegate.
    private func preparation(of request: ImageRequest) -> RequestPreparation? {
        guard !(delegate is DefaultDelegate) else { return nil }
        return { [self] urlRequest in
            try await Error.wrapping {
                try await delegate.willLoadData(for: request, urlRequest: urlRequest, pipeline: self)
            }
        }
    }
}

extension ImagePipeline.Error {
    /// Returns what a caller's code returns; whatever it throws is the cause of the request's failure.
    ///
    /// That may be the cancellation of something else, which is none of this request.
    fileprivate static func wrapping<Output>(_ work: () async throws -> Output) async throws -> Output {
        do {
            return try await work()
        } catch {
            try Task.checkCancellation()
            throw Self.dataLoadingFailed(error: error)
        }
    }
}
