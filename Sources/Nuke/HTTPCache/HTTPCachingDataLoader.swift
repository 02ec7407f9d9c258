import Foundation
import FoundationNetworking
import Synchronization

/// A loader with an ``HTTPCache`` in front of another loader.
///
/// Fresh responses come from the cache as one chunk, without the network. Stale ones are revalidated:
/// a 304 costs no body (RFC 9111, section 4.3). Stale responses replace errors where
/// `stale-if-error` allows it, and `stale-while-revalidate` delivers at once and refreshes in the background (RFC 5861).
/// `URLRequest.cachePolicy` and the request's `Cache-Control` are honoured.
///
/// A response is stored if its body is complete and not empty. Revalidation needs a
/// loader that shows the heads of refused answers (``ResponseReportingDataLoading``), such as ``DataLoader`` and
/// ``CurlDataLoader``; through others a stale response is loaded again. A response after redirects is stored
/// under the requested URL and revalidated at each use, since the redirect itself is not visible here. Requests for
/// parts, conditional requests and methods other than GET bypass the cache; a successful request with an
/// unsafe method removes what is stored for its URL. A request for the rest of a download (`Range` with `If-Range`) is
/// answered with a whole stored response that needs no network, or that may replace an error.
///
/// It fails as the loader does, or with ``HTTPCacheError``.
public final class HTTPCachingDataLoader: ResponseReportingDataLoading {
    /// The loader for requests that the cache cannot answer.
    public let loader: any DataLoading
    /// The cache.
    public let cache: HTTPCache
    private let settings = Mutex(false)

    /// Creates a loader on top of another.
    public init(_ loader: any DataLoading, cache: HTTPCache) {
        self.loader = loader
        self.cache = cache
    }

    /// True if nothing may be loaded; false by default.
    ///
    /// Then all stored responses are delivered, however stale, even if the server requires revalidation. Other
    /// requests fail with ``HTTPCacheError/offline(_:)``.
    public var isOffline: Bool {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    /// Refreshes a delivered response in the background, unless that is already running.
    func refresh(_ entry: CachedHTTPResponse, for request: URLRequest, slots: OperationQueue?) {
        let url = entry.head.url
        guard cache.refreshing.withLock({ $0.insert(url).inserted }) else { return }
        let sink = LoadSink(
            didReceiveData: { _, _ in },
            completion: { [cache] _ in cache.refreshing.withLock { _ = $0.remove(url) } }
        )
        let delivery = LoadDelivery(to: sink, slots: slots, priority: .veryLow)
        Task {
            // A refresh may have ended since the entry was read, and then this one is not needed.
            guard case .serve(let entry, refresh: true) = await cache.plan(for: request, isOffline: false)
            else { return delivery.finish(nil) }
            HTTPCachingLoad(request, loader: self, delivery: delivery).follow(.validate(entry))
        }
    }
}

extension HTTPCachingDataLoader: LayeredDataLoading {
    package func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        let delivery = LoadDelivery(to: sink, slots: slots, priority: priority)
        guard let prepare else { return begin(request, for: delivery) }
        let isOffline = isOffline
        Task {
            let plan = await self.cache.plan(for: request, isOffline: isOffline)
            // A request is prepared to be sent, or if its fields select the answer.
            guard plan.isFinal else { return begin(request, preparedBy: prepare, for: delivery) }
            HTTPCachingLoad(request, loader: self, delivery: delivery).follow(plan)
        }
        return delivery
    }

    package func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        let load = HTTPCachingLoad(request, loader: self, delivery: delivery)
        let isOffline = isOffline
        Task { load.follow(await self.cache.plan(for: request, isOffline: isOffline)) }
        return delivery
    }
}
