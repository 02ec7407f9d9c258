import Files
public import Foundation
public import FoundationNetworking
import Synchronization

/// A cache of HTTP responses by RFC 9111, private by default.
///
/// It stores what the server allows, serves it while it is fresh, revalidates it afterwards, and
/// supports stale responses (RFC 5861). Stored responses are keyed by the full URL and by the request's
/// fields that `Vary` names; only GET is stored. ``HTTPCachingDataLoader`` puts it in front of a loader. All
/// methods are safe to call from any thread.
public final class HTTPCache: Sendable {
    /// The settings of a cache.
    public struct Configuration: Sendable, Hashable {
        /// True if the cache serves more than one user: `s-maxage` and `proxy-revalidate` then count, and `private`
        /// responses and most answers to `Authorization` are not stored (RFC 9111, sections 3.5 and 5.2.2).
        public var isShared = false
        /// The most bytes of a stored body; larger ones are delivered but not stored.
        public var entrySizeLimit = 16 * 1024 * 1024
        /// The heuristic freshness of a response that states none, as a part of the time since its `Last-Modified`; the
        /// tenth that RFC 9111, section 4.2.2, names as usual.
        public var heuristicFraction = 0.1
        /// The longest heuristic freshness, in seconds; a day by default.
        public var longestHeuristicLifetime: TimeInterval = 86400
        /// The seconds that any stale response may replace an error; 0 leaves it to the
        /// `stale-if-error` of servers and requests (RFC 5861, section 4).
        public var staleIfError: TimeInterval = 0
        /// The most responses of one URL for requests that differ in the fields named by `Vary`.
        public var variantLimit = 16

        /// Creates the defaults.
        public init() {}

        var rules: FreshnessRules {
            var rules = FreshnessRules()
            rules.isShared = isShared
            rules.heuristicFraction = heuristicFraction
            rules.longestHeuristicLifetime = longestHeuristicLifetime
            rules.staleIfError = staleIfError
            return rules
        }
    }

    /// The settings.
    public let configuration: Configuration
    /// The storage of the responses, each with its head and body as one value.
    public let storage: any DataCaching
    let now: @Sendable () -> Date
    /// The URLs whose stale responses are being refreshed in the background.
    let refreshing = Mutex<Set<String>>([])
    /// Reads and writes wait for the disk, so they need threads of their own.
    let reads = WorkQueue(name: "com.github.kean.Nuke.HTTPCache.Reads", width: 2)
    /// One at a time, since a list of variants is read, changed and written.
    let changes = WorkQueue(name: "com.github.kean.Nuke.HTTPCache.Changes", width: 1)

    /// Creates a cache on top of any storage, which should be its own.
    /// - Parameters:
    ///   - storage: Keeps the responses; it bounds their size.
    ///   - configuration: The settings.
    ///   - now: The time of the day, by which ages are counted.
    public init(
        storage: any DataCaching,
        configuration: Configuration = Configuration(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.storage = storage
        self.configuration = configuration
        self.now = now
    }

    /// The cache of `withURLCache` configurations; nil if its folder cannot be created.
    static let shared = try? HTTPCache()

    /// Creates a cache with a ``DataCache`` called `name` in the user's cache folder.
    /// - Throws: As `DataCache` does.
    public convenience init(
        name: String = "com.github.kean.Nuke.HTTPCache",
        configuration: Configuration = Configuration()
    ) throws {
        self.init(storage: try DataCache(name: name), configuration: configuration)
    }

    /// Returns the stored response for `request`, fresh or not, with its `Age`; nil without one.
    ///
    /// Reads the storage on the calling thread.
    public func cachedResponse(for request: URLRequest) -> (data: Data, response: HTTPURLResponse)? {
        guard let entry = entry(for: request), let response = entry.response(at: now(), isValidated: false)
        else { return nil }
        return (entry.body, response)
    }

    /// Stores a response to a GET for `request`, replacing an older one, whatever the rules of HTTP say about it.
    ///
    /// A response that varies with the request's fields is readable soon after the call, any other one at once.
    public func storeResponse(_ response: HTTPURLResponse, data: Data, for request: URLRequest) {
        let now = now()
        let entry = CachedHTTPResponse(
            response,
            body: data,
            request: request,
            requestTime: now,
            responseTime: now
        )
        guard (request.httpMethod ?? "GET") == "GET" else { return }
        // It fits no request, and neither does the older one any more.
        guard !entry.head.selectors.keys.contains("*") else { return remove(request.url) }
        guard entry.head.selectors.isEmpty, let key = HTTPCacheKey.primary(request.url) else {
            Task { await store(entry) }
            return
        }
        if let bytes = try? entry.encoded() { storage.storeData(bytes, for: key) }
    }

    /// Removes all stored responses for the URL of `request`.
    public func removeCachedResponse(for request: URLRequest) {
        remove(request.url)
    }

    /// Removes everything from the storage.
    public func removeAll() {
        storage.removeAll()
    }
}
