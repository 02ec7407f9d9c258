import Foundation
import FoundationNetworking
import Synchronization

/// Puts an ``HTTPCache`` before a loader.
///
/// What is fresh comes from the cache, as one chunk, without the network. What is stale the server is asked to
/// confirm: its 304 costs no body (RFC 9111, section 4.3). Errors are replaced by stale responses where
/// `stale-if-error` allows it, and `stale-while-revalidate` delivers at once and refreshes behind (RFC 5861).
/// `URLRequest.cachePolicy` and the request's `Cache-Control` are heeded.
///
/// A response is stored when its body has come whole and without error; never an empty one. A 304 is only asked of a
/// loader that shows the heads of answers it refuses (``ResponseReportingDataLoading``), which ``DataLoader`` and
/// ``CurlDataLoader`` do; through others a stale response is loaded anew. A response that redirects led to is stored
/// under the URL that was asked and confirmed at each use, since the redirect itself is not seen here. Requests for
/// parts or with conditions of their own, and all but GET, go to the loader as they are; a successful request of an
/// unsafe method removes what is stored for its URL.
///
/// It fails as the loader does, or with ``HTTPCacheError``.
public final class HTTPCachingDataLoader: ResponseReportingDataLoading {
    /// Loads what the cache cannot answer.
    public let loader: any DataLoading
    /// Answers what it can.
    public let cache: HTTPCache
    private let settings = Mutex(false)

    /// A loader over another.
    public init(_ loader: any DataLoading, cache: HTTPCache) {
        self.loader = loader
        self.cache = cache
    }

    /// Whether nothing is loaded at all; false unless set.
    ///
    /// Everything stored is then delivered, however stale, also where the server demands confirmation: who sets it
    /// takes that upon himself. What is not stored fails with ``HTTPCacheError/offline(_:)``.
    public var isOffline: Bool {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// Fetches a newer response behind the one that was delivered, unless that is under way.
    func refresh(_ entry: CachedHTTPResponse, for request: URLRequest, slots: OperationQueue?) {
        let url = entry.head.url
        guard cache.refreshing.withLock({ $0.insert(url).inserted }) else { return }
        let delivery = LoadDelivery(slots: slots, priority: .veryLow, didReceiveData: { _, _ in }) {
            [cache] _ in cache.refreshing.withLock { _ = $0.remove(url) }
        }
        Task {
            // A refresh may have ended since the entry was read, and then this one is not needed.
            guard case .serve(let entry, refresh: true) = await cache.plan(for: request, isOffline: false)
            else {
                return delivery.finish(nil)
            }
            HTTPCachingLoad(request, loader: self, delivery: delivery).follow(.validate(entry))
        }
    }
}

extension HTTPCachingDataLoader: LayeredDataLoading {
    func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        let load = HTTPCachingLoad(request, loader: self, delivery: delivery)
        let isOffline = isOffline
        Task { load.follow(await self.cache.plan(for: request, isOffline: isOffline)) }
        return delivery
    }
}
