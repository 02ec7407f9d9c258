import Files
import Foundation
import FoundationNetworking
import Synchronization

/// One load of original data, whose priority can change while it waits.
final class OriginalLoad: Sendable {
    private struct State {
        var priority = Operation.QueuePriority.normal
        var slot: SlotOperation?
        var load: (any PrioritizedCancellable)?
    }

    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let state = Mutex(State())
    private let rateLimiterPriority = LivePriority(.normal)
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
        let (slot, load) = state.withLock { state in
            state.priority = priority
            return (state.slot, state.load)
        }
        rateLimiterPriority.priority = priority
        reading.setPriority(priority)
        slot?.queuePriority = priority
        load?.setPriority(priority)
    }

    /// Returns the data of the request from its source: a closure, the disk, the URL itself or the network.
    /// - Throws: `ImagePipeline.Error`, `CancellationError`, or the error of the source.
    func run() async throws -> LoadedData {
        if case .data(_, let closure) = request.resource {
            let data = try await holdingSlot { try await closure() }
            return LoadedData(data: data, received: nil, isStorable: true)
        }
        guard let urlRequest = request.urlRequest, let url = urlRequest.url else { throw URLError(.badURL) }
        if pipeline.configuration.isLocalResourcesSupportEnabled, let local = LocalResource(url) {
            let limit = pipeline.configuration.maximumResponseDataSize
            let isQueued = !request.options.contains(.skipDataLoadingQueue)
            let queue =
                isQueued ? WorkQueue(pipeline.configuration.dataLoadingQueue) : pipeline.cachingQueue
            let isDigestComputed = pipeline.configuration.isDigestComputed
            return try await queue.run(priority: state.withLock { $0.priority }, handle: reading) {
                let data = try local.imageData(limit: limit)
                let sha256 = isDigestComputed ? Data(Digest.sha256.bytes(of: data)) : nil
                return LoadedData(data: data, received: nil, isStorable: false, sha256: sha256)
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

    private func download(_ urlRequest: URLRequest) async throws -> LoadedData {
        guard urlRequest.cachePolicy != .returnCacheDataDontLoad else {
            // A cache has no part of a download to go on with.
            return try await receive(body(resuming: nil, partial: nil), of: urlRequest)
        }
        let partial = await pipeline.partialDownload(for: request, urlRequest)
        let resumable =
            partial?.takeResumableData() ?? pipeline.takeResumableData(for: request, urlRequest)
        var resuming = urlRequest
        resumable?.resume(request: &resuming)
        let isResuming = resumable != nil
        let body = body(resuming: resumable, partial: partial)
        do {
            return try await receive(body, of: resuming)
        } catch {
            guard isResuming, body.isResumeRefused(error) else {
                keep(body, after: error, of: urlRequest)
                throw error
            }
        }
        // The server has other bytes now, or it lied about the part.
        let whole = self.body(resuming: nil, partial: partial)
        do {
            return try await receive(whole, of: urlRequest)
        } catch {
            keep(whole, after: error, of: urlRequest)
            throw error
        }
    }

    /// Keeps the beginning of a download that broke off.
    private func keep(_ body: ResponseBody, after error: any Error, of urlRequest: URLRequest) {
        body.end(error)
        pipeline.keepResumableData(body.resumableData, for: request, urlRequest)
    }

    private func body(resuming resumable: ResumableData?, partial: PartialDownload?) -> ResponseBody {
        ResponseBody(
            limit: pipeline.configuration.maximumResponseDataSize,
            resuming: resumable,
            partial: partial,
            isDigestComputed: pipeline.isDigestComputed(for: request),
            storage: pipeline.bodyStorage(for: request),
            keepsParts: pipeline.configuration.isProgressiveDecodingEnabled,
            onPart: onPart
        )
    }

    private func receive(_ body: ResponseBody, of urlRequest: URLRequest) async throws -> LoadedData {
        let loader = pipeline.dataLoader(for: request)
        // Released with its last reference.
        let permit = try await permit(for: urlRequest, loader)
        defer { withExtendedLifetime(permit) {} }
        let prepare = pipeline.preparation(of: request)
        if let loader = loader as? any SlottedDataLoading {
            let isQueued = !request.options.contains(.skipDataLoadingQueue)
            let slots = isQueued ? pipeline.configuration.dataLoadingQueue : OperationQueue()
            return try await body.receive { [self] in
                let load = loader.load(
                    urlRequest,
                    priority: state.withLock { $0.priority },
                    slots: slots,
                    prepare: prepare,
                    into: body.sink
                )
                let priority = state.withLock { state in
                    state.load = load
                    return state.priority
                }
                load.setPriority(priority)
                return load
            }
        }
        return try await holdingSlot {
            let urlRequest = try await prepare?(urlRequest) ?? urlRequest
            return try await body.receive {
                loader.load(urlRequest, into: body.sink)
            }
        }
    }

    /// Waits for the pipeline's rate limiter, unless the loader has one of its own.
    private func permit(
        for urlRequest: URLRequest,
        _ loader: any DataLoading
    ) async throws -> Permit? {
        guard pipeline.configuration.isRateLimiterEnabled, let url = urlRequest.url,
            !loader.hasRateLimiter, urlRequest.cachePolicy != .returnCacheDataDontLoad
        else { return nil }
        return try await pipeline.rateLimiter.acquire(
            host: HostRateLimiter.host(of: url),
            priority: rateLimiterPriority
        )
    }

    /// Runs `work` with a slot of the loading queue, or without one if the request skips that queue.
    func holdingSlot<Output: Sendable>(_ work: () async throws -> Output) async throws -> Output {
        guard !request.options.contains(.skipDataLoadingQueue) else { return try await work() }
        let slot = SlotOperation()
        slot.queuePriority = state.withLock { state in
            state.slot = slot
            return state.priority
        }
        try await slot.begin(in: pipeline.configuration.dataLoadingQueue)
        defer { slot.finish() }
        return try await work()
    }
}

extension LocalResource {
    /// Returns the bytes; more than `limit` of them fail with the pipeline's own error.
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
    /// Returns true if the SHA-256 of the request's data is wanted: a `DataCache` that stores the data needs it, too.
    fileprivate func isDigestComputed(for request: ImageRequest) -> Bool {
        configuration.isDigestComputed
            || (cache.dataCache(for: request) is DataCache && delegate is DefaultDelegate
                && !request.options.contains(.disableDiskCacheWrites)
                && configuration.dataCachePolicy.storesOriginal(for: request))
    }

    /// Returns the place for the request's body while it arrives: the folder of its `DataCache`, if it has one.
    fileprivate func bodyStorage(for request: ImageRequest) -> BodyStorage {
        BodyStorage(
            folder: (cache.dataCache(for: request) as? DataCache)?.index.folder ?? configuration.bodyFolder,
            accounting: configuration.downloadAccounting
        )
    }

    /// The delegate's change of a request before it is sent; nil without a delegate.
    fileprivate func preparation(of request: ImageRequest) -> RequestPreparation? {
        guard !(delegate is DefaultDelegate) else { return nil }
        return { [self] urlRequest in
            do {
                return try await delegate.willLoadData(for: request, urlRequest: urlRequest, pipeline: self)
            } catch {
                try Task.checkCancellation()
                // Also the cancellation of something else, which is no cancellation of this request.
                throw Error.dataLoadingFailed(error: error)
            }
        }
    }
}
