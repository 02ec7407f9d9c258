public import Foundation
public import FoundationNetworking
import Synchronization

/// A cache of HTTP responses as RFC 9111 describes it, private unless it is told that it is shared.
///
/// It stores what the server allows, answers with it while it is fresh, has the server confirm it afterwards, and
/// knows what may be delivered stale (RFC 5861). Stored responses are found by the full URL and by the request's
/// fields that `Vary` names; of each URL only GET is stored. ``HTTPCachingDataLoader`` puts it before a loader. All
/// methods may be called from any thread.
public final class HTTPCache: Sendable {
    /// The settings of a cache.
    public struct Configuration: Sendable, Hashable {
        /// Whether responses are for more than one user: `s-maxage` and `proxy-revalidate` then count, and `private`
        /// responses and most answers to `Authorization` are not stored (RFC 9111, sections 3.5 and 5.2.2).
        public var isShared = false
        /// The most bytes that a stored body has; larger ones are delivered and not stored.
        public var entrySizeLimit = 16 * 1024 * 1024
        /// How long a response is fresh that does not say it, as a part of the time since its `Last-Modified`; the
        /// tenth that RFC 9111, section 4.2.2, names as usual.
        public var heuristicFraction = 0.1
        /// The longest that such a guess may be, in seconds; a day.
        public var longestHeuristicLifetime: TimeInterval = 86400
        /// For how many seconds after it became stale any response may replace an error; 0 leaves it to the
        /// `stale-if-error` of servers and requests (RFC 5861, section 4).
        public var staleIfError: TimeInterval = 0
        /// The most responses that are kept of one URL for requests that differ by what `Vary` names.
        public var variantLimit = 16

        /// The defaults.
        public init() {}
    }

    /// The settings.
    public let configuration: Configuration
    /// Where responses are kept, each with its head and body as one value.
    public let storage: any DataCaching
    let now: @Sendable () -> Date
    /// The URLs whose responses are being fetched anew behind those that were delivered.
    let refreshing = Mutex<Set<String>>([])
    /// Reads and writes wait for the disk, so they need threads of their own.
    let reads = WorkQueue(name: "com.github.kean.Nuke.HTTPCache.Reads", width: 2)
    /// One at a time, since a list of variants is read, changed and written.
    let changes = WorkQueue(name: "com.github.kean.Nuke.HTTPCache.Changes", width: 1)

    /// A cache over any storage, which should be its own.
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

    /// A cache in a ``DataCache`` called `name` in the user's folder of caches.
    /// - Throws: As `DataCache` does.
    public convenience init(
        name: String = "com.github.kean.Nuke.HTTPCache",
        configuration: Configuration = Configuration()
    ) throws {
        self.init(storage: try DataCache(name: name), configuration: configuration)
    }

    /// What is stored for `request`, fresh or not, with its `Age`; nil without it.
    ///
    /// Reads the storage on the calling thread.
    public func cachedResponse(for request: URLRequest) -> (data: Data, response: HTTPURLResponse)? {
        guard let entry = entry(for: request), let response = entry.response(at: now(), isValidated: false)
        else { return nil }
        return (entry.body, response)
    }

    /// Removes what is stored for the URL of `request`, whatever its fields.
    public func removeCachedResponse(for request: URLRequest) {
        remove(request.url)
    }

    /// Removes everything from the storage.
    public func removeAll() {
        storage.removeAll()
    }
}
