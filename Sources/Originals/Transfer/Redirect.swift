package import Foundation
import Transport

/// The request that follows a redirect (RFC 9110, section 15.4).
package enum Redirect {
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
        let target = try target(location, of: hop.url)
        let isSameOrigin = isSameOrigin(hop.url, target)
        var next = hop
        next.url = isSameOrigin ? target.withUser(of: hop.url) : target
        if (status == 303 && hop.method != "HEAD") || ([301, 302].contains(status) && hop.method == "POST") {
            next.method = "GET"
            next.body = nil
            next.headers.removeAll { ofBody.contains($0.name.lowercased()) }
        }
        if !isSameOrigin {
            next.headers.removeAll { !harmless.contains($0.name.lowercased()) }
            (next.authentication, next.clientCertificate) = (nil, nil)
        }
        return next
    }

    /// Returns the URL of `location`, which may be relative to `url`, as browsers read it.
    private static func target(_ location: String, of url: URL) throws(DataLoadingError) -> URL {
        do {
            let base = try? WebURL(url.absoluteString)
            if let target = URL(encoded: try WebURL(location, base: base).description) { return target }
        } catch {
            // A file, say: there is no host to ask.
            if let scheme = error.scheme {
                throw DataLoadingError(.scheme, url: url, "the server redirects to the scheme \"\(scheme)\"")
            }
            throw DataLoadingError(
                .badURL,
                url: url,
                "the server redirects to something that is no URL: \(error)"
            )
        }
        throw DataLoadingError(.badURL, url: url, "the server redirects to something that is no URL")
    }

    /// Equal scheme, host and port (RFC 6454, section 4).
    package static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
        guard let one = try? WebURL(one.absoluteString), let other = try? WebURL(other.absoluteString) else {
            return false
        }
        return one.scheme == other.scheme && one.host == other.host && one.port == other.port
    }

    private static let ofBody: Set<String> = ["content-type", "content-length", "content-encoding"]

    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since", "if-none-match",
        "if-range", "range", "user-agent",
    ]
}

extension URL {
    /// The URL with the user and password of `other`, unless it has its own: servers leave them out of a `Location`.
    package func withUser(of other: URL) -> URL {
        guard user == nil, other.user != nil,
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: false),
            let others = URLComponents(url: other, resolvingAgainstBaseURL: false)
        else { return self }
        parts.percentEncodedUser = others.percentEncodedUser
        parts.percentEncodedPassword = others.percentEncodedPassword
        return parts.url ?? self
    }
}
