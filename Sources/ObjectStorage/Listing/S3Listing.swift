import Foundation
import Transport

/// Lists the keys of a bucket, a page at a time (Amazon S3 API Reference, "ListObjectsV2").
struct S3Listing: Sendable {
    /// The most keys of a page that a service gives.
    static let pageCount = 1000

    private let client: S3Client
    private let bucket: String

    init(_ client: S3Client, bucket: String) {
        (self.client, self.bucket) = (client, bucket)
    }

    /// Returns the keys that begin with `prefix` and stand behind `key`, in their order.
    ///
    /// With a delimiter, keys that hold it behind the prefix are told by their beginning up to it alone. Pages continue behind
    /// a key rather than by the service's token, so that any page can be asked for at any time.
    /// - Throws: ``StoreError``; `unavailable` for an answer that is no listing.
    func page(
        prefix: String,
        after key: String? = nil,
        delimiter: String? = nil,
        count: Int = pageCount
    ) async throws(StoreError) -> S3Page {
        var query: [(name: String, value: String?)] = [
            ("encoding-type", "url"), ("list-type", "2"), ("max-keys", String(count)), ("prefix", prefix),
        ]
        if let key { query.append(("start-after", key)) }
        if let delimiter { query.append(("delimiter", delimiter)) }
        let location = ObjectLocation(bucket: bucket, key: "")
        let answer = try await client.send(S3Request("GET", location, query: query), to: "list")
        guard let page = S3Page(answer.body) else {
            throw StoreError(.unavailable, "cannot list s3://\(bucket)/\(prefix): the answer is no listing")
        }
        return page
    }
}

/// A page of a listing.
struct S3Page: Sendable {
    /// A key and its facts.
    struct Entry: Sendable, Hashable {
        let key: String
        let facts: ObjectFacts
    }

    var entries: [Entry] = []
    /// The beginnings of keys up to the delimiter, in their order.
    var prefixes: [String] = []
    /// True if the listing goes on.
    var isTruncated = false

    /// The last key or beginning of keys, behind which the listing goes on; nil for an empty page.
    var last: String? {
        [entries.last?.key, prefixes.last].compactMap(\.self).max {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }

    /// Parses the document of a listing; nil for any other one.
    init?(_ document: Data) {
        guard let page = S3PageParser.page(of: document) else { return nil }
        self = page
    }

    init() {}
}
