public import Foundation
public import FoundationNetworking

/// A cache of whole responses for ``CachingDataLoader``.
///
/// The cache decides which requests are equal, for example by `url?.absoluteString`, and when a response
/// expires. Its methods are called concurrently, on threads that may wait for the disk.
public protocol ResponseCaching: Sendable {
    /// Returns the body and the response stored for `request`; nil on a miss.
    func cachedResponse(for request: URLRequest) -> (data: Data, response: URLResponse)?

    /// Stores a complete, non-empty body and its response for `request`, replacing an older one.
    func storeResponse(_ response: URLResponse, data: Data, for request: URLRequest)
}
