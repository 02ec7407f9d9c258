package import Foundation
package import FoundationNetworking

/// Everything that the answer to a request may depend on: requests with equal keys share a download.
package struct FlightKey: Hashable, Sendable {
    private let url: String
    private let method: String
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: URLRequest.CachePolicy
    private let allowsCellularAccess: Bool

    /// Creates the key of `request`.
    package init(_ request: URLRequest) {
        url = request.url?.absoluteString ?? ""
        method = request.httpMethod ?? "GET"
        headers = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        cachePolicy = request.cachePolicy
        allowsCellularAccess = request.allowsCellularAccess
    }

    /// Creates the key of a request for a bare URL, which is faster.
    package init(_ url: URL?) {
        self.url = url?.absoluteString ?? ""
        (method, headers, body) = ("GET", [:], nil)
        (cachePolicy, allowsCellularAccess) = (.useProtocolCachePolicy, true)
    }
}
