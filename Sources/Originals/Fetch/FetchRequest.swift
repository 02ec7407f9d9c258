package import Foundation
package import FoundationNetworking

/// One fetch: the request, its place among others, and how its bytes are kept.
package struct FetchRequest: Sendable {
    /// The part of the cache in a fetch.
    package enum Caching: Sendable {
        /// The cache answers if it can.
        case use
        /// Only the cache answers: nothing is loaded.
        case only
        /// The cache does not answer, and the caller stores the bytes once it knows that they are good.
        case renewByCaller
    }

    /// The URL, the method and the header fields.
    package var urlRequest: URLRequest
    /// The key of the bytes in the cache, under which an interrupted download is resumed, too.
    package var key: String
    /// The priority among fetches that wait.
    package var priority: Operation.QueuePriority
    /// The part of the cache.
    package var caching: Caching
    /// False to keep the URL that answered out of the cache, since it may repeat secrets of the request.
    package var keepsFinalURL = true
    /// The owner that the cache pins the bytes for, in the commit that stores them; nil for none.
    package var pinOwner: String?

    /// Creates a request.
    package init(
        _ urlRequest: URLRequest,
        key: String,
        priority: Operation.QueuePriority = .normal,
        caching: Caching = .use
    ) {
        self.urlRequest = urlRequest
        self.key = key
        self.priority = priority
        self.caching = caching
    }

    var isReadFromCache: Bool { caching == .use || caching == .only }
    var isStoredByCaller: Bool { caching == .renewByCaller }
}
