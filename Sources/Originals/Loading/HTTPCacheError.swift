public import Foundation

/// An error of an HTTP cache that could not answer a request which may not go to the network.
public enum HTTPCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The request takes only what is stored, by `returnCacheDataDontLoad` or `only-if-cached`, and there is no
    /// such response (RFC 9111, section 5.2.1.7).
    case notCached(URL?)
    /// The loader is offline, and nothing is stored for the request.
    case offline(URL?)

    /// The missing response and the remedy, without the query of the URL.
    public var description: String {
        switch self {
        case .notCached(let url):
            "\(Self.name(url)) is not in the cache as the request wants it; allow the request to load it"
        case .offline(let url):
            "\(Self.name(url)) is not in the cache, and the loader is offline; set isOffline to false to load it"
        }
    }

    private static func name(_ url: URL?) -> String {
        url.map { DataLoadingError.printable($0) } ?? "the request without a URL"
    }
}
