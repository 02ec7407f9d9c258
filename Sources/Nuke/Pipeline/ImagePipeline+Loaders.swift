import Foundation

extension ImagePipeline {
    /// The loader that the delegate chooses for `request`, behind the cache of responses where there is one.
    func dataLoader(for request: ImageRequest) -> any DataLoading {
        let loader = delegate.dataLoader(for: request, pipeline: self)
        guard let cache = configuration.httpCache else { return loader }
        return HTTPCachingDataLoader(loader, cache: cache)
    }
}

extension DataLoading {
    /// Whether it asks a `HostGate` of its own before each request, itself or in a layer below.
    var hasGate: Bool {
        if let loader = self as? any LayeredDataLoading { return loader.loader.hasGate }
        return (self as? CurlDataLoader)?.configuration.gate != nil
    }
}
