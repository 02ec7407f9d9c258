import Foundation
import Synchronization

/// ListObjectsV2, HeadBucket and ListBuckets (Amazon S3 API Reference).
extension ObjectStoreService {
    func listObjects(_ context: Context) throws(ObjectStoreError) -> Response {
        let operation = context.operation
        let prefix = operation.parameter("prefix") ?? ""
        let delimiter = operation.parameter("delimiter") ?? ""
        let limit = try Self.number(operation, "max-keys", default: 1000)
        let start = try start(of: context)
        if case .emptyPage = context.fault {
            return page(of: context, entries: [], next: start ?? .from(ObjectKey(prefix)), limit)
        }
        func listing<Keys: RandomAccessCollection<ObjectKey>>(of keys: Keys) -> ObjectListing
        where Keys.Index == Int {
            ObjectListing(of: keys, prefix: prefix, delimiter: delimiter, from: start, limit: limit)
        }
        typealias Page = (LoopbackObjectStore.GeneratedObjects?, [ListedEntry], ObjectListing.Position?)
        let (generated, entries, next) = contents.withLock { contents -> Page in
            guard let bucket = contents.buckets[operation.bucket], bucket.bucket.generated == nil else {
                return (contents.buckets[operation.bucket]?.bucket.generated, [], nil)
            }
            let listing = listing(of: bucket.keys)
            let entries = listing.entries.compactMap { entry in
                ListedEntry(entry) { _, key in bucket[key].map(ListedObject.init) }
            }
            return (nil, entries, listing.next)
        }
        guard let generated else { return page(of: context, entries: entries, next: next, limit) }
        let listing = listing(of: GeneratedKeys(objects: generated))
        let made = listing.entries.compactMap { entry in
            ListedEntry(entry) { index, key in
                ListedObject(
                    etag: Self.generatedETag(key),
                    size: generated.size(index),
                    lastModified: Self.generatedDate,
                    storageClass: "STANDARD"
                )
            }
        }
        return page(of: context, entries: made, next: listing.next, limit)
    }

    func headBucket(_ context: Context) -> Response {
        let bucket = contents.withLock { $0.buckets[context.operation.bucket]?.bucket }
        return Response(headers: [("x-amz-bucket-region", bucket?.region ?? region)])
    }

    func listBuckets() -> Response {
        let names = contents.withLock { $0.buckets.keys.sorted() }
        var xml = XMLText(root: "ListAllMyBucketsResult")
        xml.add("Buckets") { xml in
            for name in names {
                xml.add("Bucket") { xml in
                    xml.add("Name", name)
                    xml.add("CreationDate", SignedDate.extended(Self.generatedDate))
                }
            }
        }
        return .document(xml)
    }

    /// A parameter that is a number of at most 1,000, as S3 cuts it.
    static func number(
        _ operation: Operation,
        _ name: String,
        default value: Int
    ) throws(ObjectStoreError) -> Int {
        guard let text = operation.parameter(name) else { return value }
        guard let number = Int(text), number >= 0 else {
            throw .invalidArgument("Provided \(name) not an integer or within integer range: \(text)")
        }
        return min(number, 1000)
    }

    /// The token's place, else that of `start-after`.
    private func start(of context: Context) throws(ObjectStoreError) -> ObjectListing.Position? {
        guard let token = context.operation.parameter("continuation-token") else {
            return context.operation.parameter("start-after").map { .after(ObjectKey($0)) }
        }
        guard let position = ObjectListing.Position(token: token) else {
            throw .invalidArgument("The continuation token provided is incorrect")
        }
        if case .expiredContinuationToken = context.fault {
            throw .invalidArgument("The continuation token provided is incorrect")
        }
        if case .repeatedKey = context.fault, case .after(let key) = position { return .from(key) }
        return position
    }

    private func page(
        of context: Context,
        entries: [ListedEntry],
        next: ObjectListing.Position?,
        _ limit: Int
    ) -> Response {
        let operation = context.operation
        let isEncoded = operation.parameter("encoding-type") == "url"
        let encode = isEncoded ? Self.urlEncoded : { $0 }
        var entries = entries
        if case .repeatedKey = context.fault, operation.parameter("continuation-token") == nil {
            entries = entries.prefix(1) + entries
        }
        var xml = XMLText(root: "ListBucketResult")
        xml.add("Name", operation.bucket)
        xml.add("Prefix", encode(operation.parameter("prefix") ?? ""))
        xml.add("Delimiter", optional: operation.parameter("delimiter").map(encode))
        xml.add("StartAfter", optional: operation.parameter("start-after").map(encode))
        xml.add("ContinuationToken", optional: operation.parameter("continuation-token"))
        xml.add("NextContinuationToken", optional: limit > 0 ? next?.token : nil)
        xml.add("KeyCount", entries.count)
        xml.add("MaxKeys", limit)
        xml.add("EncodingType", optional: isEncoded ? "url" : nil)
        xml.add("IsTruncated", next != nil && limit > 0 ? "true" : "false")
        for case .object(let key, let object) in entries { object.add(to: &xml, key: encode(key)) }
        for case .prefix(let prefix) in entries {
            xml.add("CommonPrefixes") { $0.add("Prefix", encode(prefix)) }
        }
        return .document(xml)
    }

    /// Encodes as S3 does in listings: a space is `+`, a slash stays.
    static func urlEncoded(_ text: String) -> String {
        PercentEncoding.encode(text.utf8, keepsSlash: true).replacing("%20", with: "+")
    }
}

/// An entry of a page, with its facts.
private enum ListedEntry {
    case object(String, ListedObject)
    case prefix(String)

    init?(_ entry: ObjectListing.Entry, facts: (Int, ObjectKey) -> ListedObject?) {
        switch entry {
        case .prefix(let prefix): self = .prefix(prefix)
        case .object(let index, let key):
            guard let object = facts(index, key) else { return nil }
            self = .object(key.text, object)
        }
    }
}

/// The facts that a listing has about an object.
private struct ListedObject {
    let etag: String
    let size: Int
    let lastModified: Date
    let storageClass: String

    func add(to xml: inout XMLText, key: String) {
        xml.add("Contents") { xml in
            xml.add("Key", key)
            xml.add("LastModified", SignedDate.extended(lastModified))
            xml.add("ETag", etag)
            xml.add("Size", size)
            xml.add("StorageClass", storageClass)
        }
    }
}

extension ListedObject {
    init(_ object: LoopbackObjectStore.Object) {
        self.init(
            etag: object.etag,
            size: object.data.count,
            lastModified: object.lastModified,
            storageClass: object.storageClass
        )
    }
}
