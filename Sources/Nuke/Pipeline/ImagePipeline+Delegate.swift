public import FoundationNetworking

extension ImagePipeline {
    /// Decides for single requests what the configuration decides for all; every method has a default.
    ///
    /// Methods are called from any thread. The pipeline keeps its delegate.
    public protocol Delegate: AnyObject, Sendable {
        /// The loader for `request`; the configuration's unless implemented.
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading

        /// The request that is sent in place of `urlRequest`, once for each load from the network; the same unless
        /// implemented. For fields that authorize, say: keys of caches do not change by it.
        /// - Throws: what the load is to fail with.
        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest

        /// The data cache for `request`; the configuration's unless implemented.
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)?

        /// The key of `request` in the caches, nil for the pipeline's own, which is the default.
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String?
    }
}

extension ImagePipeline.Delegate {
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

/// The delegate of a pipeline that was given none.
final class DefaultDelegate: ImagePipeline.Delegate {}
