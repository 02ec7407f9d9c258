import Foundation

extension ImagePipeline {
    /// Returns the delegate's loader for `request`, behind the HTTP cache if there is one.
    func dataLoader(for request: ImageRequest) -> any DataLoading {
        let loader = delegate.dataLoader(for: request, pipeline: self)
        guard let cache = configuration.httpCache else { return loader }
        return HTTPCachingDataLoader(loader, cache: cache)
    }
}

extension DataLoading {
    /// True if it has a `HostRateLimiter` of its own, itself or in a layer below.
    var hasRateLimiter: Bool {
        if let loader = self as? any LayeredDataLoading { return loader.loader.hasRateLimiter }
        return (self as? CurlDataLoader)?.configuration.rateLimiter != nil
    }
}
