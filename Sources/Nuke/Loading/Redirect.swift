import Foundation
import FoundationNetworking

/// The request that follows a redirect (RFC 9110, section 15.4).
enum Redirect {
    /// Whether the status is one of a redirect that is followed.
    static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// The next request.
    ///
    /// Another origin gets none of the header fields that may hold a secret: only those that say which form
    /// and which part of the resource is wanted.
    /// - Throws: ``DataLoadingError`` if `location` is no URL.
    static func next(
        after request: URLRequest,
        url: URL,
        status: Int,
        location: String
    ) throws(DataLoadingError) -> (request: URLRequest, url: URL) {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, target.host != nil else {
            throw DataLoadingError(.badURL, url: url, "the server redirects to something that is no URL")
        }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        if (status == 303 && method != "HEAD") || ([301, 302].contains(status) && method == "POST") {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        if !isSameOrigin(url, target) {
            for name in next.allHTTPHeaderFields?.keys.sorted() ?? []
            where !harmless.contains(name.lowercased()) {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        return (next, target)
    }

    /// Equal scheme, host and port (RFC 6454, section 4).
    static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        one.scheme?.lowercased() == other.scheme?.lowercased()
            && HostGate.host(of: one) == HostGate.host(of: other)
    }

    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since", "if-none-match",
        "if-range", "range", "user-agent",
    ]
}
