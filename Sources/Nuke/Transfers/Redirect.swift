import Foundation
import Transport

/// The request that follows a redirect (RFC 9110, section 15.4).
enum Redirect {
    /// Returns true for the status of a redirect that is followed.
    static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// The next request.
    ///
    /// Another origin gets none of the header fields that may hold a secret: only those that select the form
    /// and the part of the resource; and it gets no credentials.
    /// - Throws: ``DataLoadingError`` if `location` is not a URL, or has no host.
    static func next(after hop: CurlHop, status: Int, location: String) throws(DataLoadingError) -> CurlHop {
        guard let target = URL(string: location, relativeTo: hop.url)?.absoluteURL else {
            throw DataLoadingError(.badURL, url: hop.url, "the server redirects to something that is no URL")
        }
        guard target.host != nil else {
            // A file, say: there is no host to ask.
            let scheme = target.scheme?.lowercased() ?? ""
            guard !["http", "https", "ftp"].contains(scheme) else {
                throw DataLoadingError(.badURL, url: hop.url, "the server redirects to a URL without a host")
            }
            throw DataLoadingError(.scheme, url: hop.url, "the server redirects to the scheme \"\(scheme)\"")
        }
        var next = hop
        next.url = target
        if (status == 303 && hop.method != "HEAD") || ([301, 302].contains(status) && hop.method == "POST") {
            next.method = "GET"
            next.body = nil
            next.headers.removeAll { ofBody.contains($0.name.lowercased()) }
        }
        if !isSameOrigin(hop.url, target) {
            next.headers.removeAll { !harmless.contains($0.name.lowercased()) }
            (next.authentication, next.clientCertificate) = (nil, nil)
        }
        return next
    }

    /// Equal scheme, host and port (RFC 6454, section 4).
    static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        one.scheme?.lowercased() == other.scheme?.lowercased()
            && HostRateLimiter.host(of: one) == HostRateLimiter.host(of: other)
    }

    private static let ofBody: Set<String> = ["content-type", "content-length", "content-encoding"]

    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since", "if-none-match",
        "if-range", "range", "user-agent",
    ]
}
