public import Foundation
public import FoundationNetworking

/// A cache of whole responses, of whatever make, for ``CachingDataLoader``.
///
/// What makes two requests the same, as their `url?.absoluteString`, and for how long a response is good are the
/// cache's own matter. Its methods are called on threads that may wait for the disk, several at once.
public protocol ResponseCaching: Sendable {
    /// The body and the response stored for `request`, or nil.
    func cachedResponse(for request: URLRequest) -> (data: Data, response: URLResponse)?

    /// Stores a whole, non-empty body and its response for `request`, in place of what was stored before.
    func storeResponse(_ response: URLResponse, data: Data, for request: URLRequest)
}
