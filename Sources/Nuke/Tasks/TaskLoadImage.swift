import Files
import Foundation

extension ImagePipeline {
    /// Returns the task that produces the image of a request with all its processors.
    ///
    /// Of requests for [a], [a, b] and [a, c] one loads, one decodes and one applies a.
    @ImagePipelineActor
    func loadImageTask(for request: ImageRequest, unique: Int?) -> AsyncTask<ImageResponse> {
        let task = taskPool.task(for: ImageKey(request, unique: unique), in: \.images) { [weak self] task in
            guard let self else { return }
            TaskLoadImage(request, for: task, in: self, unique: unique).start()
        }
        return recorded(task, as: .loadImage, of: request)
    }
}

/// Produces one image: from the caches, or from the image with one processor less and that processor.
@ImagePipelineActor
private final class TaskLoadImage {
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let task: AsyncTask<ImageResponse>
    private let unique: Int?
    private let operation = OperationHandle()
    /// The store count at the lookup in the data cache.
    private var look = 0
    private var dependency: TaskSubscription?
    private var work: Task<Void, Never>?
    private var preview: Task<Void, Never>?

    init(
        _ request: ImageRequest,
        for task: AsyncTask<ImageResponse>,
        in pipeline: ImagePipeline,
        unique: Int?
    ) {
        self.request = request
        self.pipeline = pipeline
        self.task = task
        self.unique = unique
    }

    func start() {
        task.onCancelled = { self.cancel() }
        task.onPriorityChanged = { priority in
            self.dependency?.setPriority(priority)
            self.operation.setPriority(priority.queuePriority)
        }
        let lookup = task.record?.begin(.memoryLookup)
        let cached = pipeline.cache.memoryImage(for: request)
        task.record?.end(lookup) { $0.result = cached == nil ? .miss : .hit }
        if let container = cached {
            let response = ImageResponse(container: container, request: request, cacheType: .memory)
            guard container.isPreview else { return task.finish(.success(response)) }
            task.send(.preview(response))
        }
        look = pipeline.taskPool.stores.count
        work = Task { @ImagePipelineActor in
            if let response = await diskImage() { return finish(response) }
            guard !task.isOver else { return }
            guard !pipeline.isMissing(request) else { return task.finish(.failure(.dataMissingInCache)) }
            subscribe()
        }
    }

    private func cancel() {
        dependency?.cancel()
        work?.cancel()
        preview?.cancel()
    }

    /// Returns the image that the data cache has for this very request, or of a thumbnail, for the original it is made from.
    private func diskImage() async -> ImageResponse? {
        guard request.isOfData else { return nil }
        var candidates = [request]
        if request.thumbnail != nil, request.processors.isEmpty {
            var plain = request
            plain.thumbnail = nil
            candidates.append(plain)
        }
        for candidate in candidates {
            guard let data = await diskData(for: candidate), !task.isOver else { continue }
            var context = ImageDecodingContext(request: task.narrowed(request), data: data, cacheType: .disk)
            context.isFinal = candidate.isChanged
            do throws(ImagePipeline.Error) {
                return try await pipeline.decode(
                    context,
                    priority: task.priority,
                    operation: operation,
                    record: task.record
                )
            } catch .decodingFailed {
                // Data that cannot be decoded would fail each time, so it is loaded again.
                pipeline.cache.removeCachedData(for: candidate)
            } catch {
                // A decode that was cancelled, or has no decoder, says nothing about the data.
            }
        }
        return nil
    }

    /// Returns what the data cache has for a request.
    private func diskData(for candidate: ImageRequest) async -> Data? {
        let lookup = pipeline.cache.dataCache(for: candidate) == nil ? nil : task.record?.begin(.diskLookup)
        let data = await pipeline.cachedData(for: candidate)
        task.record?.end(lookup) {
            $0.result = data == nil ? .miss : .hit
            $0.bytes = data.map { Int64($0.count) }
        }
        return data
    }

    private func subscribe() {
        let requests = { @ImagePipelineActor [weak task] in task?.requests ?? [] }
        let processor = request.processors.last
        let parent: AsyncTask<ImageResponse>
        if processor != nil {
            var shorter = request
            shorter.processors.removeLast()
            parent = pipeline.loadImageTask(for: shorter, unique: unique)
        } else {
            parent = pipeline.fetchOriginalImageTask(for: request, unique: unique, since: look)
        }
        task.record?.depend(on: parent.record)
        dependency = parent.subscribe(priority: task.priority, requests: requests) {
            self.receive($0, processor)
        }
    }

    private func receive(_ event: AsyncTask<ImageResponse>.Event, _ processor: (any ImageProcessing)?) {
        switch event {
        case .progress(let progress): task.send(.progress(progress))
        case .preview(let response):
            guard let processor else { return show(response) }
            // While one preview is processed, others are dropped.
            guard preview == nil else { return }
            preview = Task { @ImagePipelineActor in
                defer { preview = nil }
                if let processed = try? await process(response, processor, isCompleted: false) {
                    show(processed)
                }
            }
        case .closed:
            // Without a processor the result is as narrow as the one it is made from.
            if processor == nil { task.send(.closed) }
        case .finished(.failure(let error)):
            preview?.cancel()
            task.finish(.failure(error))
        case .finished(.success(let response)):
            guard let processor else { return finish(response) }
            preview?.cancel()
            work = Task { @ImagePipelineActor in
                do throws(ImagePipeline.Error) {
                    finish(try await process(response, processor, isCompleted: true))
                } catch {
                    task.finish(.failure(error))
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
        let stage = task.record?.begin(.process)
        var made: PlatformImage?
        defer {
            task.record?.end(stage) {
                $0.processor = processor.identifier
                $0.pixels = made.map(ImagePipeline.Diagnostics.PixelSize.init)
            }
        }
        do {
            var processed = response
            processed.request = request
            processed.container = try await WorkQueue(pipeline.configuration.imageProcessingQueue)
                .run(priority: task.priority.queuePriority, handle: isCompleted ? operation : nil) {
                    try processor.process(response.container, context: context)
                }
            made = processed.image
            return processed
        } catch is CancellationError where Task.isCancelled {
            throw .cancelled
        } catch {
            throw .processingFailed(processor: processor, context: context, error: error)
        }
    }

    private func show(_ response: ImageResponse) {
        if task.isWantedDirectly { pipeline.cache.storeMemoryImage(response.container, for: request) }
        task.send(.preview(response))
    }

    /// Stores the image in the caches it belongs to and ends the task; data from the data cache is not written back.
    private func finish(_ response: ImageResponse) {
        var response = response
        response.request = request
        let isDirect = task.isWantedDirectly
        let mayWrite = task.requests.contains { !$0.options.contains(.disableDiskCacheWrites) }
        if isDirect { pipeline.cache.storeMemoryImage(response.container, for: request) }
        task.finish(.success(response))
        guard isDirect, mayWrite, response.cacheType != .disk, request.isOfData,
            pipeline.configuration.dataCachePolicy.storesEncoded(request)
        else { return }
        pipeline.storeEncoded(response, for: request)
    }
}

extension ImageRequest {
    /// True if the image is made from data; an image from the request's own closure is never on disk.
    fileprivate var isOfData: Bool {
        if case .image = resource { return false }
        return true
    }
}
