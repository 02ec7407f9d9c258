public import Foundation
public import FoundationNetworking

extension ImagePipeline {
    /// Customizes single requests; every method has a default, which follows the configuration.
    ///
    /// Methods are called from any thread. The pipeline retains its delegate.
    public protocol Delegate: AnyObject, Sendable {
        /// Returns the decoder for data; by default the configuration's.
        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> (any ImageDecoding)?

        /// Returns the encoder for an image; by default the configuration's.
        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding

        /// Returns the policy for previews of incomplete data; by default `PreviewPolicy.default(for:)`.
        func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> ImagePipeline.PreviewPolicy

        /// Returns the loader for `request`; by default the configuration's.
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading

        /// Returns the request to send instead of `urlRequest`, once for each load from the network; by default the
        /// same. Use it for authorization, say: cache keys do not change.
        ///
        /// Runs on the ``ImagePipelineActor``: work that takes long belongs elsewhere, awaited from here.
        /// Called while the load holds its slot of `dataLoadingQueue` and its host's permit. The
        /// request already has its range if a download is resumed. Loaders that wrap others see the request as
        /// it is sent, so for these it is called in a slot of its own, before theirs. It is not called if an
        /// ``HTTPCache`` of the pipeline, or an outermost ``HTTPCachingDataLoader``, has an answer that no field
        /// of the request selects (`Vary`).
        /// - Throws: The underlying error that the load fails with, by `dataLoadingFailed(error:)`.
        @ImagePipelineActor
        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest

        /// Returns the image cache for `request`; by default the configuration's.
        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)?

        /// Returns the data cache for `request`; by default the configuration's.
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)?

        /// Returns the key of `request` in the caches; nil, the default, for the pipeline's own.
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String?

        /// Called before data is stored in the data cache: of an encoded image, or with nil, original data.
        ///
        /// Call `completion` once with the data to store, nil for none; by default the same data.
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        )

        /// Called before data is stored in the data cache, by the name of Nuke 14: of an encoded image, or with nil,
        /// original data.
        ///
        /// Runs on the ``ImagePipelineActor``. By default it calls the method with a closure, so that a delegate
        /// implements either.
        /// - Returns: The data to store; nil for none.
        @ImagePipelineActor
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline
        ) async -> Data?

        /// Called when a task starts, before its `started` event.
        @ImagePipelineActor
        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline)

        /// Called on the caller's thread when a task has been created, before it starts.
        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline)

        /// Called for each event of a task, in order: `started` first, `finished` last.
        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline)
    }
}

extension ImagePipeline.Delegate {
    /// The configuration's.
    public func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline)
        -> (any ImageDecoding)?
    {
        pipeline.configuration.makeImageDecoder(context)
    }

    /// The configuration's.
    public func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding
    {
        pipeline.configuration.makeImageEncoder(context)
    }

    /// The default of the data's type.
    public func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline)
        -> ImagePipeline.PreviewPolicy
    {
        .default(for: context.data)
    }

    /// The configuration's.
    public func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)? {
        pipeline.configuration.imageCache
    }

    /// The same data.
    public func willCache(
        data: Data,
        image: ImageContainer?,
        for request: ImageRequest,
        pipeline: ImagePipeline,
        completion: @escaping (Data?) -> Void
    ) {
        completion(data)
    }

    /// The data that the method with a closure allows to be stored.
    @ImagePipelineActor
    public func willCache(
        data: Data,
        image: ImageContainer?,
        for request: ImageRequest,
        pipeline: ImagePipeline
    ) async -> Data? {
        await withCheckedContinuation { continuation in
            willCache(data: data, image: image, for: request, pipeline: pipeline) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Nothing.
    @ImagePipelineActor
    public func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) {}

    /// Nothing.
    public func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {}

    /// Nothing.
    public func imageTask(
        _ task: ImageTask,
        didReceiveEvent event: ImageTask.Event,
        pipeline: ImagePipeline
    ) {}

    /// The configuration's.
    public func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
        pipeline.configuration.dataLoader
    }

    /// The same.
    @ImagePipelineActor
    public func willLoadData(
        for request: ImageRequest,
        urlRequest: URLRequest,
        pipeline: ImagePipeline
    ) async throws -> URLRequest {
        urlRequest
    }

    /// The configuration's.
    public func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)? {
        pipeline.configuration.dataCache
    }

    /// The pipeline's own.
    public func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
        nil
    }
}

/// The delegate's protocol under its name in Nuke 12.
public typealias ImagePipelineDelegate = ImagePipeline.Delegate

/// The delegate of a pipeline without one.
final class DefaultDelegate: ImagePipeline.Delegate {}
