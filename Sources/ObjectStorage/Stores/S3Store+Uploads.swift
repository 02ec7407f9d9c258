package import Files
public import Foundation

/// Uploads in parts that were begun and neither completed nor aborted.
extension S3Store {
    /// An unfinished upload.
    public struct UnfinishedUpload: Sendable, Hashable {
        /// The key, relative to the store.
        public let key: String
        /// The store's identifier of the upload.
        public let identifier: String
        /// The time at which it was begun, if the store reports it.
        public let initiated: Date?
    }

    /// Returns the unfinished uploads of keys that begin with `prefix`, at most 10,000.
    ///
    /// Source: Amazon S3 API Reference, "ListMultipartUploads".
    /// - Throws: ``StoreError``.
    public func uploads(_ prefix: String = "") async throws(StoreError) -> [UnfinishedUpload] {
        let base = root.appending("").key
        let bucket = ObjectLocation(bucket: root.bucket, key: "")
        var found: [UnfinishedUpload] = []
        var markers: [(name: String, value: String?)] = []
        // A page has up to 1,000 uploads.
        for _ in 0..<10 {
            let query: [(name: String, value: String?)] = [("uploads", nil), ("prefix", base + prefix)]
            let page = try await client.send(
                S3Request("GET", bucket, query: query + markers),
                to: "list the unfinished uploads of",
                limit: S3Client.pageLimit
            ) { $0.document("ListMultipartUploadsResult") }
            for element in page.children where element.name == "Upload" {
                guard let key = element["Key"]?.text, let identifier = element["UploadId"]?.text,
                    key.utf8.starts(with: base.utf8)
                else { continue }
                let relative = String(key.unicodeScalars.dropFirst(base.unicodeScalars.count))
                let date = element["Initiated"].flatMap { try? Date($0.text, strategy: Self.dates) }
                found.append(UnfinishedUpload(key: relative, identifier: identifier, initiated: date))
            }
            guard page["IsTruncated"]?.text == "true", let key = page["NextKeyMarker"]?.text else { break }
            markers = [("key-marker", key), ("upload-id-marker", page["NextUploadIdMarker"]?.text)]
        }
        return found
    }

    /// Removes the parts of an upload.
    /// - Throws: ``StoreError``.
    public func abort(_ upload: UnfinishedUpload) async throws(StoreError) {
        try await S3Upload(client, location(upload.key), identifier: upload.identifier).abort()
    }

    /// Aborts all uploads of a key, such as that of a process which was killed.
    ///
    /// Services that do not list uploads, and credentials that may not, leave them to the bucket's lifecycle rules.
    /// - Throws: ``StoreError``.
    public func abortUploads(at key: String) async throws(StoreError) {
        let found: [UnfinishedUpload]
        do throws(StoreError) { found = try await uploads(key) } catch {
            guard error.reason == .refused || error.reason == .notFound else { throw error }
            return
        }
        // Equal texts may be two keys, by the forms of their accents.
        for upload in found where upload.key.utf8.elementsEqual(key.utf8) { try await abort(upload) }
    }

    /// Writes an object that nobody else writes; parts that a killed process left of it are removed.
    /// - Throws: ``StoreError``.
    package func putWhole(_ payload: Payload, at key: String, _ attributes: ObjectAttributes)
        async throws(StoreError)
    {
        if payload.count > Self.partSize { try await abortUploads(at: key) }
        _ = try await put(payload, at: key, attributes)
    }

    private static let dates = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension S3Upload {
    /// Continues an upload to a key of a store.
    public init(_ store: S3Store, _ key: String, identifier: String) {
        self.init(store.client, store.location(key), identifier: identifier)
    }

    /// Begins an upload to a key of a store.
    /// - Throws: ``StoreError``.
    public static func begin(
        _ store: S3Store,
        at key: String,
        _ attributes: ObjectAttributes = ObjectAttributes()
    ) async throws(StoreError) -> S3Upload {
        try await begin(store.client, at: store.location(key), attributes)
    }
}
