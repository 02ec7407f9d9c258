import Foundation

extension ImagePipeline {
    /// Returns the delegate's loader for `request`, behind the HTTP cache if there is one.
    func dataLoader(for request: ImageRequest) -> any DataLoading {
        let loader = delegate.dataLoader(for: request, pipeline: self)
        guard let cache = configuration.httpCache(for: loader) else { return loader }
        return HTTPCachingDataLoader(loader, cache: cache)
    }

    /// True if `request` may only be answered by a cache, and the pipeline's own caches are all that there are.
    func isMissing(_ request: ImageRequest) -> Bool {
        guard request.options.contains(.returnCacheDataDontLoad) else { return false }
        guard let url = request.url, LocalResource(url) == nil else { return true }
        return !dataLoader(for: request).hasHTTPCache
    }
}

extension DataLoading {
    /// True if it has an `HTTPCache`, itself or in a layer below.
    fileprivate var hasHTTPCache: Bool {
        self is HTTPCachingDataLoader || (self as? any LayeredDataLoading)?.loader.hasHTTPCache == true
    }
}
