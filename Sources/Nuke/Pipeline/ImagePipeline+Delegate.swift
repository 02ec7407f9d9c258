public import Foundation
public import FoundationNetworking

extension ImagePipeline {
    /// Decides for single requests what the configuration decides for all; every method has a default.
    ///
    /// Methods are called from any thread. The pipeline keeps its delegate.
    public protocol Delegate: AnyObject, Sendable {
        /// The decoder for data; the configuration's unless implemented.
        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> (any ImageDecoding)?

        /// The encoder for an image; the configuration's unless implemented.
        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding

        /// Which previews are made of data that is not complete; `PreviewPolicy.default(for:)` unless implemented.
        func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> ImagePipeline.PreviewPolicy

        /// The loader for `request`; the configuration's unless implemented.
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading

        /// The request that is sent in place of `urlRequest`, once for each load from the network; the same unless
        /// implemented. For fields that authorize, say: keys of caches do not change by it.
        ///
        /// Called when the load has its place in `dataLoadingQueue`, and its host's turn, which it keeps meanwhile. The
        /// request asks for a range already, where a download goes on. Loaders above loaders see the request as
        /// it is sent, so for these it is called in a place of its own, before theirs.
        /// - Throws: what the load is to fail with.
        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest

        /// The image cache for `request`; the configuration's unless implemented.
        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)?

        /// The data cache for `request`; the configuration's unless implemented.
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)?

        /// The key of `request` in the caches, nil for the pipeline's own, which is the default.
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String?

        /// Called before data goes into the data cache: of an image that was encoded, or with nil, original data.
        ///
        /// `completion` is to be called once, with what is stored, nil for nothing; the same data unless implemented.
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        )

        /// Called on the caller's thread when a task was made, before it begins.
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

/// The name that the delegate's protocol has in Nuke 12.
public typealias ImagePipelineDelegate = ImagePipeline.Delegate

/// The delegate of a pipeline that was given none.
final class DefaultDelegate: ImagePipeline.Delegate {}
