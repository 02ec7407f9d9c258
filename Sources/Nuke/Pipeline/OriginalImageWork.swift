import Foundation

/// The stage "decode": the image of original data, decoded once for all who want it.
extension ImagePipeline {
    /// The image of a request, without its processors.
    @PipelineActor
    func originalImage(for request: ImageRequest, unique: Int?, since look: Int) -> SharedWork<ImageResponse>
    {
        let key = OriginalImageKey(request, unique: unique)
        if let work = pools.originals[key] { return work }
        let pools = pools
        let work = SharedWork<ImageResponse>(onEnd: {
            if pools.originals[key] === $0 { pools.originals[key] = nil }
        }) { [weak self] work in
            guard let self else { return }
            if case .image(_, let closure) = request.resource {
                bring(request, closure, work)
            } else {
                decode(request, work, unique, since: look)
            }
        }
        pools.originals[key] = work
        return work
    }

    /// Has the request's own closure bring the image, within a place of the loading queue.
    @PipelineActor
    private func bring(
        _ request: ImageRequest,
        _ closure: @escaping @Sendable () async throws -> ImageContainer,
        _ work: SharedWork<ImageResponse>
    ) {
        let load = OriginalLoad()
        work.follow = { load.setPriority($0.queuePriority) }
        let task = Task { @PipelineActor in
            do {
                let container = try await load.holdingSlot(
                    in: configuration.dataLoadingQueue,
                    for: request,
                    closure
                )
                work.send(.finished(.success(ImageResponse(container: container, request: request))))
            } catch {
                work.send(.finished(.failure(Error(loading: error))))
            }
        }
        work.giveUp = { task.cancel() }
    }

    @PipelineActor
    private func decode(
        _ request: ImageRequest,
        _ work: SharedWork<ImageResponse>,
        _ unique: Int?,
        since look: Int
    ) {
        let decoding = Decoding(request, self, work, DownloadKey(request, unique: unique))
        let data = originalData(for: request, unique: unique, since: look)
            .subscribe(priority: work.priority, requests: { [weak work] in work?.requests ?? [] }) {
                switch $0 {
                case .progress(let progress): work.send(.progress(progress))
                case .preview(let partial): decoding.preview(partial)
                case .closed: break
                case .finished(.failure(let error)): work.send(.finished(.failure(error)))
                case .finished(.success(let loaded)): decoding.finish(loaded)
                }
            }
        work.follow = { priority in
            data.setPriority(priority)
            decoding.handle.setPriority(priority.queuePriority)
        }
        work.giveUp = {
            data.cancel()
            decoding.cancel()
        }
    }
}

/// The decoding of one file: previews of its parts, then the whole.
@PipelineActor
private final class Decoding {
    let handle = WorkHandle()
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let work: SharedWork<ImageResponse>
    private let key: DownloadKey
    private let previews: Previews
    private var task: Task<Void, Never>?

    init(
        _ request: ImageRequest,
        _ pipeline: ImagePipeline,
        _ work: SharedWork<ImageResponse>,
        _ key: DownloadKey
    ) {
        self.request = request
        self.pipeline = pipeline
        self.work = work
        self.key = key
        previews = Previews(request, pipeline, work)
    }

    func preview(_ partial: LoadedData) { previews.add(partial) }

    func finish(_ loaded: LoadedData) {
        previews.cancel()
        let context = ImageDecodingContext(
            request: work.narrowed(request),
            data: loaded.data,
            urlResponse: loaded.response,
            cacheType: loaded.cacheType
        )
        pipeline.pools.decoding[key] = loaded
        task = Task { @PipelineActor in
            defer { pipeline.pools.decoding[key] = nil }
            do throws(ImagePipeline.Error) {
                let decoder = previews.decoder
                let response = try await pipeline.decode(context, by: decoder, work.priority, handle)
                work.send(.finished(.success(response)))
            } catch {
                work.send(.finished(.failure(error)))
            }
        }
    }

    func cancel() {
        previews.cancel()
        task?.cancel()
    }
}

extension ImagePipeline {
    /// Decodes complete data: on the decoding queue, or here if the decoder is quick.
    @PipelineActor
    func decode(
        _ context: ImageDecodingContext,
        by known: (any ImageDecoding)? = nil,
        _ priority: ImageRequest.Priority,
        _ handle: WorkHandle? = nil
    ) async throws(ImagePipeline.Error) -> ImageResponse {
        guard let decoder = known ?? delegate.imageDecoder(for: context, pipeline: self) else {
            throw .decoderNotRegistered(context: context)
        }
        do {
            let container =
                decoder.isAsynchronous
                ? try await WorkQueue(configuration.imageDecodingQueue)
                    .run(priority: priority.queuePriority, handle: handle) {
                        try decoder.decode(context.data)
                    }
                : try decoder.decode(context.data)
            return ImageResponse(
                container: container,
                request: context.request,
                urlResponse: context.urlResponse,
                cacheType: context.cacheType
            )
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .decodingFailed(decoder: decoder, context: context, error: error)
        }
    }
}

extension SharedWork {
    /// The request for a decoder, with the processor that all who want the image apply first, if there is one.
    ///
    /// So the decoder may give no more than that needs, which suits nobody else: the work is closed.
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
