import Files
import Foundation

extension ImagePipeline {
    /// Returns the task that decodes the image of a request, without its processors.
    @ImagePipelineActor
    func fetchOriginalImageTask(
        for request: ImageRequest,
        unique: Int?,
        since look: Int
    ) -> AsyncTask<ImageResponse> {
        let task = taskPool.task(for: OriginalImageKey(request, unique: unique), in: \.originalImages) {
            [weak self] task in
            guard let self else { return }
            if case .image(_, let closure) = request.resource {
                fetch(request, for: task, by: closure)
            } else {
                let fetch = TaskFetchOriginalImage(
                    request,
                    for: task,
                    in: self,
                    key: DownloadKey(request, unique: unique)
                )
                fetch.start(from: fetchOriginalDataTask(for: request, unique: unique, since: look))
            }
        }
        return recorded(task, as: .fetchOriginalImage, of: request)
    }

    /// Calls the request's own closure for the image, within a slot of the loading queue.
    @ImagePipelineActor
    private func fetch(
        _ request: ImageRequest,
        for task: AsyncTask<ImageResponse>,
        by closure: @escaping @Sendable () async throws -> ImageContainer
    ) {
        let load = OriginalLoad(request, in: self)
        task.onPriorityChanged = { load.setPriority($0.queuePriority) }
        let work = Task { @ImagePipelineActor in
            let stage = task.record?.begin(.download)
            defer { task.record?.end(stage) }
            do {
                let container = try await load.holdingSlot(closure)
                task.record?.end(stage) { $0.source = .closure }
                task.finish(.success(ImageResponse(container: container, request: request)))
            } catch {
                task.finish(.failure(Error(loading: error)))
            }
        }
        task.onCancelled = { work.cancel() }
    }
}

/// Decodes one original for all subscribers: previews of its parts, then the whole.
@ImagePipelineActor
private final class TaskFetchOriginalImage {
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let task: AsyncTask<ImageResponse>
    private let key: DownloadKey
    private let previews: Previews
    private let operation = OperationHandle()
    private var work: Task<Void, Never>?

    init(
        _ request: ImageRequest,
        for task: AsyncTask<ImageResponse>,
        in pipeline: ImagePipeline,
        key: DownloadKey
    ) {
        self.request = request
        self.pipeline = pipeline
        self.task = task
        self.key = key
        previews = Previews(request, for: task, in: pipeline)
    }

    func start(from data: AsyncTask<LoadedData>) {
        task.record?.depend(on: data.record)
        let dependency = data.subscribe(
            priority: task.priority,
            requests: { [weak task] in task?.requests ?? [] }
        ) { [self] in
            switch $0 {
            case .progress(let progress): task.send(.progress(progress))
            case .preview(let partial): previews.add(partial)
            case .closed: break
            case .finished(.failure(let error)):
                previews.cancel()
                task.finish(.failure(error))
            case .finished(.success(let loaded)): decode(loaded)
            }
        }
        task.onPriorityChanged = { [operation] priority in
            dependency.setPriority(priority)
            operation.setPriority(priority.queuePriority)
        }
        task.onCancelled = { [self] in
            dependency.cancel()
            previews.cancel()
            work?.cancel()
        }
    }

    private func decode(_ loaded: LoadedData) {
        previews.cancel()
        let context = ImageDecodingContext(
            request: task.narrowed(request),
            data: loaded.data,
            urlResponse: loaded.response,
            cacheType: loaded.isCached ? .disk : nil
        )
        pipeline.taskPool.decoding[key] = loaded
        work = Task { @ImagePipelineActor in
            defer { pipeline.taskPool.decoding[key] = nil }
            await previews.end()
            do throws(ImagePipeline.Error) {
                let response = try await pipeline.decode(
                    context,
                    by: previews.decoder,
                    priority: task.priority,
                    operation: operation,
                    record: task.record
                )
                task.finish(.success(response))
            } catch {
                task.finish(.failure(error))
            }
        }
    }
}

extension ImagePipeline {
    /// Decodes complete data on the decoding queue, or at once if the decoder is synchronous.
    @ImagePipelineActor
    func decode(
        _ context: ImageDecodingContext,
        by known: (any ImageDecoding)? = nil,
        priority: ImageRequest.Priority,
        operation: OperationHandle,
        record: JobRecord?
    ) async throws(ImagePipeline.Error) -> ImageResponse {
        guard let decoder = known ?? delegate.imageDecoder(for: context, pipeline: self) else {
            throw .decoderNotRegistered(context: context)
        }
        let stage = record?.begin(.decode)
        var made: ImageContainer?
        defer {
            record?.end(stage) {
                $0.decoder = String(describing: type(of: decoder))
                $0.format = made?.type?.rawValue
                $0.pixels = (made?.image).map(ImagePipeline.Diagnostics.PixelSize.init)
            }
        }
        do {
            let container =
                decoder.isAsynchronous
                ? try await WorkQueue(configuration.imageDecodingQueue)
                    .run(priority: priority.queuePriority, handle: operation) {
                        try decoder.decode(context.data)
                    }
                : try decoder.decode(context.data)
            made = container
            return ImageResponse(
                container: container,
                request: context.request,
                urlResponse: context.urlResponse,
                cacheType: context.cacheType
            )
        } catch is CancellationError where Task.isCancelled {
            throw .cancelled
        } catch {
            throw .decodingFailed(decoder: decoder, context: context, error: error)
        }
    }
}

extension AsyncTask {
    /// Returns the request for a decoder, with the processor that all subscribers apply first, if there is one.
    ///
    /// The decoder may then produce no more than that processor needs, which suits nobody else: the task is closed.
    func narrowed(_ request: ImageRequest) -> ImageRequest {
        let firsts = requests.map(\.processors.first)
        guard request.processors.isEmpty, let first = firsts.first, let processor = first,
            firsts.allSatisfy({ $0.map(ProcessorKey.init) == ProcessorKey(processor) })
        else { return request }
        var narrowed = request
        narrowed.processors = [processor]
        send(.closed)
        return narrowed
    }
}
