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
    /// a key, so that any page can be asked for at any time; `token` is for a page without keys, which has none to continue
    /// behind. Objects in an archive that are restored are asked for as such (`RestoreStatus`).
    /// - Throws: ``StoreError``; `unavailable` for an answer that is no listing.
    func page(
        prefix: String,
        after key: String? = nil,
        delimiter: String? = nil,
        token: String? = nil,
        count: Int = pageCount
    ) async throws(StoreError) -> S3Page {
        var query: [(name: String, value: String?)] = [
            ("encoding-type", "url"), ("list-type", "2"), ("max-keys", String(count)), ("prefix", prefix),
        ]
        if let key { query.append(("start-after", key)) }
        if let delimiter { query.append(("delimiter", delimiter)) }
        if let token { query.append(("continuation-token", token)) }
        let location = ObjectLocation(bucket: bucket, key: "")
        let restored = TransferRequest.Header("x-amz-optional-object-attributes", "RestoreStatus")
        let request = S3Request("GET", location, query: query, headers: [restored])
        return try await client.send(request, to: "list", limit: S3Client.pageLimit) { answer in
            guard answer.head.status == 200, var page = S3Page(answer.body),
                page.entries.allSatisfy({ $0.key.utf8.starts(with: prefix.utf8) })
            else { return nil }
            // SeaweedFS lists by folders: `a/b` before `a-b`.
            page.isByBytes = !(answer.head.value(of: "Server") ?? "").contains("SeaweedFS")
            return page
        }
    }
}

struct S3Page: Sendable {
    typealias Entry = ObjectPage.Entry

    var entries: [Entry] = []
    /// The beginnings of keys up to the delimiter, in their order.
    var prefixes: [String] = []
    /// True if the listing goes on.
    var isTruncated = false
    /// False if the service is known to list keys in another order than that of their bytes.
    var isByBytes = true
    /// The service's name for the rest, if it goes on.
    var token: String?

    /// True if a page that does not say so may not be the last one: it is full, or names the rest.
    var mayGoOn: Bool { token != nil || entries.count + prefixes.count >= S3Listing.pageCount }

    /// Parses the document of a listing; nil for any other one.
    init?(_ document: Data) {
        guard let page = S3PageParser.page(of: document) else { return nil }
        self = page
    }

    init() {}
}
