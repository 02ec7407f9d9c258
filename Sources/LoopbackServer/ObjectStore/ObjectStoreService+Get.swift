import Files
import Foundation
import Synchronization

/// GetObject and HeadObject (Amazon S3 API Reference).
extension ObjectStoreService {
    func getObject(_ context: Context) throws(ObjectStoreError) -> Response {
        let object = try object(for: context)
        try checkReadConditions(context, object)
        let request = context.request
        var headers = describe(object)
        headers.append(("Accept-Ranges", "bytes"))
        if request.headers["x-amz-request-payer"] != nil {
            headers.append(("x-amz-request-charged", "requester"))
        }
        let range = try range(of: request, object)
        guard let range else {
            if request.headers["x-amz-checksum-mode"] == "ENABLED" { headers += checksums(of: object) }
            return Response(headers: headers, body: .data(object.data))
        }
        let described = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.data.count)"
        headers.append(("Content-Range", described))
        let start = object.data.startIndex
        return Response(
            status: 206,
            headers: headers,
            body: .data(object.data[(start + range.lowerBound)..<(start + range.upperBound)])
        )
    }

    /// - Throws: 404 if there is none, 405 for the mark of a deletion.
    private func object(for context: Context) throws(ObjectStoreError) -> Object {
        let operation = context.operation
        let versionID = operation.parameter("versionId")
        // Looked up under the lock: a copy of the bucket would make the next change copy all of it.
        let (generated, found) = contents.withLock { contents in
            (
                contents.buckets[operation.bucket]?.bucket.generated,
                versionID.map { contents.buckets[operation.bucket]?.version($0, of: context.key) }
                    ?? contents.buckets[operation.bucket]?[context.key]
            )
        }
        let object = generated.map { generatedObject(context.key, $0) } ?? found
        guard let object else {
            guard let versionID else { throw .noSuchKey(operation.key) }
            throw ObjectStoreError(
                404,
                code: "NoSuchVersion",
                "The specified version does not exist.",
                details: [("Key", operation.key), ("VersionId", versionID)]
            )
        }
        guard !object.isDeleteMarker else {
            throw ObjectStoreError(
                405,
                code: "MethodNotAllowed",
                "The specified method is not allowed against this resource.",
                headers: [
                    ("x-amz-delete-marker", "true"), ("x-amz-version-id", object.versionID ?? "null"),
                    ("Allow", "DELETE"),
                ]
            )
        }
        return object
    }

    func generatedObject(_ key: ObjectKey, _ generated: LoopbackObjectStore.GeneratedObjects) -> Object? {
        let keys = GeneratedKeys(objects: generated)
        let index = keys.firstIndexInOrder { $0 < key }
        guard index < keys.endIndex, keys[index] == key else { return nil }
        return Object(
            data: generated.data(index),
            etag: Self.generatedETag(key),
            lastModified: Self.generatedDate,
            headers: ["content-type": "binary/octet-stream"]
        )
    }

    /// The entity tag of a generated object: of its key, so that a listing needs no object's bytes.
    static func generatedETag(_ key: ObjectKey) -> String {
        "\"\(Digest.md5.hex(of: key.text))\""
    }

    static let generatedDate = Date(timeIntervalSince1970: 1_700_000_000)

    /// If-Match and If-Unmodified-Since (412), then If-None-Match and If-Modified-Since (304); in each pair the tag decides
    /// (RFC 9110, section 13.2.2).
    private func checkReadConditions(_ context: Context, _ object: Object) throws(ObjectStoreError) {
        let headers = context.request.headers
        if let tags = headers["if-match"] {
            guard Self.matches(tags, object.etag) else { throw .preconditionFailed("If-Match") }
        } else if let date = headers["if-unmodified-since"].flatMap({ SignedDate.parse(http: $0) }) {
            guard object.lastModified <= date else { throw .preconditionFailed("If-Unmodified-Since") }
        }
        let notModified = ObjectStoreError(
            304,
            code: "NotModified",
            "Not Modified",
            headers: [("ETag", object.etag), ("Last-Modified", object.modified)]
        )
        if let tags = headers["if-none-match"] {
            guard !Self.matches(tags, object.etag) else { throw notModified }
        } else if let date = headers["if-modified-since"].flatMap({ SignedDate.parse(http: $0) }) {
            guard object.lastModified > date else { throw notModified }
        }
    }

    /// True if `tags` is `*` or lists `etag`, with or without quotes.
    static func matches(_ tags: String, _ etag: String) -> Bool {
        tags.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .contains { $0 == "*" || $0 == etag || "\"\($0)\"" == etag }
    }

    /// The part that `Range` asks for; nil for the whole object.
    private func range(
        of request: LoopbackServer.Request,
        _ object: Object
    ) throws(ObjectStoreError) -> Range<Int>? {
        guard request.headers["range"] != nil else { return nil }
        let size = object.data.count
        switch ByteRange.requested(by: request, size: size, etag: object.etag, modified: object.modified) {
        case .part(let range): return range
        case .unsatisfiable:
            throw ObjectStoreError(
                416,
                code: "InvalidRange",
                "The requested range is not satisfiable",
                details: [
                    ("RangeRequested", request.headers["range"] ?? ""),
                    ("ActualObjectSize", String(size)),
                ],
                headers: [("Content-Range", "bytes */\(size)")]
            )
        case .whole, .notModified: return nil
        }
    }

    private func describe(_ object: Object) -> [(name: String, value: String)] {
        var headers = [("ETag", object.etag), ("Last-Modified", object.modified)]
        for (name, value) in object.headers { headers.append((name, value)) }
        if object.storageClass != "STANDARD" { headers.append(("x-amz-storage-class", object.storageClass)) }
        if let version = object.versionID { headers.append(("x-amz-version-id", version)) }
        return headers
    }

    /// The stored checksums; without any, CRC64NVME, which S3 computes itself since 2024.
    private func checksums(of object: Object) -> [(name: String, value: String)] {
        let stored = object.checksums.map { ($0.key, $0.value) }
        guard !stored.isEmpty else {
            return [
                (Checksum.crc64nvme.header, Checksum.crc64nvme.value(of: object.data)),
                ("x-amz-checksum-type", "FULL_OBJECT"),
            ]
        }
        let isComposite = stored.contains { $0.1.contains("-") }
        return stored + [("x-amz-checksum-type", isComposite ? "COMPOSITE" : "FULL_OBJECT")]
    }
}
