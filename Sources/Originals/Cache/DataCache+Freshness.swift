package import Foundation
package import FoundationNetworking
import Transport

/// The freshness of stored originals, for callers that revalidate them: a
/// pipeline does not.
extension DataCache.Metadata {
    /// The fields of an answer that say how long it is fresh (RFC 9111, sections 4.2 and 5).
    private static let freshnessFields = ["Age", "Cache-Control", "Date", "Expires"]
    /// The field by which an origin restricts the use of its images by programs; stored with them, so that datasets honour it.
    private static let robotsField = "X-Robots-Tag"

    /// The `X-Robots-Tag` of the response, as sent.
    package var robots: String? { freshness[Self.robotsField] }

    /// The time at which the origin says that it last changed the bytes; nil if it does not say, or sends no date.
    package var modified: Date? { lastModified.flatMap { HTTPDate.date($0) } }

    /// Creates the metadata of the body of `response` to a request for `url`, received at `now`.
    package init(_ response: ReceivedResponse?, to url: URL? = nil, at now: Date = Date()) {
        self.init(
            finalURL: response?.url?.absoluteString,
            contentType: response?.field("Content-Type"),
            etag: response?.field("ETag"),
            lastModified: response?.field("Last-Modified")
        )
        guard let response, response.statusCode != nil else { return }
        answered = now
        for name in Self.freshnessFields + [Self.robotsField] {
            if let value = response.field(name) { freshness[name] = value }
        }
        // How long the redirects may be followed unasked is not known: they may lead to another resource tomorrow.
        if let url, response.url?.absoluteString != url.absoluteURL.absoluteString {
            freshness["Cache-Control"] = "no-cache"
        }
    }

    /// True if the bytes may be used without revalidation at `now` (RFC 9111, section 4.2).
    ///
    /// `Vary` is not stored: requests with other header fields need keys of their own.
    package func isFresh(at now: Date) -> Bool {
        // What an origin wants nobody to store (section 5.2.2.5) is kept all the same, but asked for each time.
        let mayBeStored = !cacheControl.contains("no-store") || cacheControl.contains("must-understand")
        return answered != nil && mayBeStored && reuse(for: nil, at: now, FreshnessRules()) == .use
    }
}

extension DataCache.Metadata {
    /// True if an answer to a request for `url` is about the resource of these bytes, wherever redirects have led it.
    ///
    /// Dates and weak tags of another URL say nothing of them. A strong tag does: redirects to URLs that are signed anew each
    /// time lead to the same object. Where the URL of the bytes is not kept, none but that of the request can be theirs.
    fileprivate func isOfSameResource(as answer: Self, requestedBy url: URL?) -> Bool {
        if let tag = answer.etag, tag == etag, !tag.hasPrefix("W/") { return true }
        return answer.finalURL == nil || answer.finalURL == finalURL ?? url?.absoluteString
    }
}

extension DataCache.Metadata: StoredAnswer {
    package var status: Int { 200 }
    package var fields: HeaderFields {
        var fields = freshness
        (fields["ETag"], fields["Last-Modified"]) = (etag, lastModified)
        return fields
    }
    package var requestTime: Double { responseTime }
    package var responseTime: Double { answered?.timeIntervalSince1970 ?? 0 }
    package var isRedirected: Bool { false }
}

extension DataCache {
    /// Updates the entry for `key` from a 304 `response` to a request for `url`, and records that its bytes were confirmed at
    /// `now`.
    ///
    /// - Returns: false if the entry is not the one that `known` was read from, or the answer is about another one.
    /// - Throws: `DataCacheError` if it cannot be written.
    package func confirm(
        _ key: String,
        _ known: Metadata,
        by response: HTTPURLResponse,
        to url: URL?,
        at now: Date = Date()
    ) async throws(DataCacheError) -> Bool {
        let said = Metadata(ReceivedResponse(response), to: url, at: now)
        guard known.isConfirmed(by: said.fields), known.isOfSameResource(as: said, requestedBy: url),
            let name = filename(for: key),
            metadata(for: key)?.sha256 == known.sha256
        else { return false }
        var confirmed = known
        confirmed.etag = said.etag ?? known.etag
        confirmed.answered = now
        // Age and date are those of the 304, even if it has none.
        for field in ["Age", "Date"] { confirmed.freshness[field] = nil }
        confirmed.freshness.merge(said.freshness)
        do {
            try await index.confirm(name, sha256: known.sha256, confirmed)
        } catch {
            throw .writing(key: key, path: path.path, cause: error)
        }
        return true
    }
}
