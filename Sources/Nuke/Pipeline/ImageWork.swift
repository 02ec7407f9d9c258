import Foundation

/// The stages of one image: the caches, then the image with one processor less, and that processor.
///
/// So of requests for [a], [a, b] and [a, c], one loads, one decodes and one applies a.
extension ImagePipeline {
    /// The image of a request, with all its processors.
    @PipelineActor
    func image(for request: ImageRequest, unique: Int?) -> SharedWork<ImageResponse> {
        let key = ImageKey(request, unique: unique)
        if let work = pools.images[key] { return work }
        let pools = pools
        let work = SharedWork<ImageResponse>(onEnd: {
            if pools.images[key] === $0 { pools.images[key] = nil }
        }) { [weak self] work in
            guard let self else { return }
            ImageMaking(request, self, work, unique).start()
        }
        pools.images[key] = work
        return work
    }
}

/// The making of one image.
@PipelineActor
private final class ImageMaking {
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let work: SharedWork<ImageResponse>
    private let unique: Int?
    private let handle = WorkHandle()
    /// How often data had been stored when the data cache was asked.
    private var look = 0
    private var source: Subscription?
    private var task: Task<Void, Never>?
    private var preview: Task<Void, Never>?

    init(
        _ request: ImageRequest,
        _ pipeline: ImagePipeline,
        _ work: SharedWork<ImageResponse>,
        _ unique: Int?
    ) {
        self.request = request
        self.pipeline = pipeline
        self.work = work
        self.unique = unique
    }

    func start() {
        work.giveUp = { self.cancel() }
        work.follow = { priority in
            self.source?.setPriority(priority)
            self.handle.setPriority(priority.queuePriority)
        }
        if let container = pipeline.cache.memoryImage(for: request) {
            let response = ImageResponse(container: container, request: request, cacheType: .memory)
            guard container.isPreview else { return work.send(.finished(.success(response))) }
            work.send(.preview(response))
        }
        look = pipeline.pools.storeCount
        task = Task { @PipelineActor in
            if let response = await diskImage() { return finish(response) }
            guard !work.isOver else { return }
            guard !request.options.contains(.returnCacheDataDontLoad) else {
                return work.send(.finished(.failure(.dataMissingInCache)))
            }
            subscribe()
        }
    }

    private func cancel() {
        source?.cancel()
        task?.cancel()
        preview?.cancel()
    }

    /// The image that the data cache has for this very request, or of a thumbnail, the original that it is made of.
    private func diskImage() async -> ImageResponse? {
        guard request.isOfData else { return nil }
        var keyed = [request]
        if request.thumbnail != nil, request.processors.isEmpty {
            var plain = request
            plain.thumbnail = nil
            keyed.append(plain)
        }
        for candidate in keyed {
            guard let data = await pipeline.cachedData(for: candidate), !work.isOver else { continue }
            var context = ImageDecodingContext(
                request: work.narrowed(request),
                data: data,
                cacheType: .disk
            )
            context.isFinal = candidate.isChanged
            if let response = try? await pipeline.decode(context, work.priority, handle) { return response }
            // What cannot be decoded would fail each time: it is loaded anew.
            pipeline.cache.removeCachedData(for: candidate)
        }
        return nil
    }

    private func subscribe() {
        let requests = { @PipelineActor [weak work] in work?.requests ?? [] }
        if let processor = request.processors.last {
            var shorter = request
            shorter.processors.removeLast()
            source = pipeline.image(for: shorter, unique: unique)
                .subscribe(priority: work.priority, requests: requests) { self.receive($0, processor) }
        } else {
            source = pipeline.originalImage(for: request, unique: unique, since: look)
                .subscribe(priority: work.priority, requests: requests) { self.receive($0, nil) }
        }
    }

    private func receive(
        _ event: SharedWork<ImageResponse>.Event,
        _ processor: (any ImageProcessing)?
    ) {
        switch event {
        case .progress(let progress):
            work.send(.progress(progress))
        case .preview(let response):
            guard let processor else { return show(response) }
            // While one is processed others are dropped.
            guard preview == nil else { return }
            preview = Task { @PipelineActor in
                defer { preview = nil }
                if let processed = try? await process(response, processor, isCompleted: false) {
                    show(processed)
                }
            }
        case .closed:
            // What it gives without a processor is as narrow as what it is made of.
            if processor == nil { work.send(.closed) }
        case .finished(.failure(let error)):
            work.send(.finished(.failure(error)))
        case .finished(.success(let response)):
            guard let processor else { return finish(response) }
            preview?.cancel()
            task = Task { @PipelineActor in
                do throws(ImagePipeline.Error) {
                    finish(try await process(response, processor, isCompleted: true))
                } catch {
                    work.send(.finished(.failure(error)))
                }
            }
        }
    }

    private func process(
        _ response: ImageResponse,
        _ processor: any ImageProcessing,
        isCompleted: Bool
    ) async throws(ImagePipeline.Error) -> ImageResponse {
        let context = ImageProcessingContext(request: request, response: response, isCompleted: isCompleted)
        do {
            var processed = response
            processed.request = request
            processed.container = try await WorkQueue(pipeline.configuration.imageProcessingQueue)
                .run(priority: work.priority.queuePriority, handle: isCompleted ? handle : nil) {
                    try processor.process(response.container, context: context)
                }
            return processed
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .processingFailed(processor: processor, context: context, error: error)
        }
    }

    private func show(_ response: ImageResponse) {
        if work.isWantedDirectly { pipeline.cache.storeMemoryImage(response.container, for: request) }
        work.send(.preview(response))
    }

    /// Stores the image where it belongs and tells those who want it; what came from the data cache does not go back there.
    private func finish(_ response: ImageResponse) {
        var response = response
        response.request = request
        let isDirect = work.isWantedDirectly
        let mayWrite = work.requests.contains { !$0.options.contains(.disableDiskCacheWrites) }
        if isDirect { pipeline.cache.storeMemoryImage(response.container, for: request) }
        work.send(.finished(.success(response)))
        guard isDirect, mayWrite, response.cacheType != .disk, request.isOfData,
            pipeline.configuration.dataCachePolicy.storesEncoded(request)
        else { return }
        pipeline.storeEncoded(response, for: request)
    }
}

extension ImageRequest {
    /// Whether its image is not the original one.
    var isChanged: Bool { !processors.isEmpty || thumbnail != nil }

    /// Whether its image is made of data; one that its own closure brings is never on disk.
    fileprivate var isOfData: Bool {
        if case .image = resource { return false }
        return true
    }
}
