import Foundation
import JobManifest
import Originals

/// The URL to which redirects have led a request for a sitemap, and its form in the cache, which offline runs read.
///
/// It has no query: no relative address needs it, and it may hold secrets.
struct RedirectedAddress {
    private let manifest: Manifest
    private let asked: URL

    /// Creates the value for a request for `asked`.
    init(_ manifest: Manifest, from asked: URL) {
        (self.manifest, self.asked) = (manifest, asked)
    }

    /// Returns the URL from which relative addresses start; nil where no redirect led elsewhere.
    func base(_ answered: URL?) -> String? {
        guard let answered, answered.absoluteString != asked.absoluteString else { return nil }
        return String(answered.absoluteString.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns the form of a base that is stored, with the names of variables in place of their values; empty for one that cannot
    /// be told without a secret.
    func stored(_ base: String?) -> String? {
        base.map { base in
            let stored = manifest.redaction.redacted(url: base)
            return (try? restored(stored)) == base ? stored : ""
        }
    }

    /// Returns the base of a form that was stored.
    /// - Throws: `ItemError` for one that could not be told without a secret.
    func restored(_ stored: String?) throws(ItemError) -> String? {
        guard let stored else { return nil }
        guard !stored.isEmpty, let url = URL(string: manifest.variables.expanded(stored)) else {
            let message = "a redirect led to a URL with a secret, which is not stored: run without --offline"
            throw ItemError(.offline, message)
        }
        return (Redirect.isSameOrigin(asked, url) ? url.withUser(of: asked) : url).absoluteString
    }
}
