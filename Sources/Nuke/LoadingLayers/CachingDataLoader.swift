import Files
import Foundation
import FoundationNetworking
import Synchronization

/// A loader with a custom cache in front of another loader.
///
/// A hit is delivered as one chunk, without the loader. On a miss the body is loaded, collected and
/// stored if it is complete and not empty. For caching by the rules of HTTP use
/// ``HTTPCachingDataLoader``. Only GET is looked up and stored. The reloading policies of `URLRequest.cachePolicy`
/// skip the lookup, and `returnCacheDataDontLoad` loads nothing; a request with `Range` bypasses the cache. One for the rest of
/// a download (`Range` with `If-Range`) is answered with the whole if that is cached.
///
/// It fails as the loader does, or with ``HTTPCacheError/notCached(_:)``.
public final class CachingDataLoader: ResponseReportingDataLoading {
    /// The loader for cache misses.
    public let loader: any DataLoading
    /// The cache.
    public let cache: any ResponseCaching
    /// The most bytes of a stored body; larger ones are delivered but not stored.
    public let entrySizeLimit: Int
    /// Caches wait for the disk, so they need threads of their own.
    private let queue = WorkQueue(name: "com.github.kean.Nuke.CachingDataLoader", width: 2)

    /// Creates a loader from another and a cache.
    public init(
        _ loader: any DataLoading,
        cache: any ResponseCaching,
        entrySizeLimit: Int = 16 * 1024 * 1024
    ) {
        self.loader = loader
        self.cache = cache
        self.entrySizeLimit = entrySizeLimit
    }

    private func load(_ request: URLRequest, _ delivery: LoadDelivery, isStored: Bool) {
        let body = Mutex(CollectedBody(limit: isStored ? entrySizeLimit : 0))
        delivery.begin {
            loader.start(
                request,
                for: delivery,
                into: LoadSink(
                    didReceiveResponse: { delivery.respond($0) },
                    didReceiveData: { chunk, response in
                        body.withLock { $0.append(chunk, response) }
                        delivery.deliver(chunk, response)
                    },
                    completion: { [self] error in
                        guard error == nil, isStored, let (data, response) = body.withLock({ $0.answer })
                        else {
                            return delivery.finish(error)
                        }
                        Task { [self] in
                            try? await queue.run { [cache] in
                                cache.storeResponse(response, data: data, for: request)
                            }
                            delivery.finish(nil)
                        }
                    }
                )
            )
        }
    }
}

extension CachingDataLoader: LayeredDataLoading {
    package func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        let whole = request.forWhole
        let isPart = request.value(forHTTPHeaderField: "Range") != nil
        guard (request.httpMethod ?? "GET") == "GET", !isPart || whole != nil else {
            load(request, delivery, isStored: false)
            return delivery
        }
        Task { [self] in
            if !request.cachePolicy.isReloading,
                let (data, response) = try? await queue.run({ [cache] in
                    cache.cachedResponse(for: whole ?? request)
                })
            {
                delivery.respond(response)
                delivery.deliver(data, response)
                delivery.finish(nil)
            } else if request.cachePolicy == .returnCacheDataDontLoad {
                delivery.finish(HTTPCacheError.notCached(request.url))
            } else {
                load(request, delivery, isStored: !isPart)
            }
        }
        return delivery
    }
}
