import Files
import Foundation
import Synchronization

/// PutObject, and the checks that an uploaded part shares with it (Amazon S3 API Reference).
extension ObjectStoreService {
    func putObject(_ context: Context) throws(ObjectStoreError) -> Response {
        let fields = try ObjectFields(context.request)
        let checksums = try checkedChecksums(of: context.request)
        let object = try store(context) { version in
            Object(
                data: context.request.body,
                lastModified: context.now,
                versionID: version,
                headers: fields.headers,
                storageClass: fields.storageClass,
                checksums: checksums
            )
        }
        var headers = [("ETag", object.etag)] + checksums.map { ($0.key, $0.value) }
        if !checksums.isEmpty { headers.append(("x-amz-checksum-type", "FULL_OBJECT")) }
        if let version = object.versionID { headers.append(("x-amz-version-id", version)) }
        if context.request.headers["x-amz-request-payer"] != nil {
            headers.append(("x-amz-request-charged", "requester"))
        }
        return Response(headers: headers)
    }

    /// Checks the conditions and stores the object that `make` returns for a version, as one step.
    func store(_ context: Context, make: (String?) -> Object) throws(ObjectStoreError) -> Object {
        let operation = context.operation
        // Made before the lock is taken, since it may compute digests.
        let object = make(contents.withLock { $0.nextVersion(in: operation.bucket) })
        return try contents.withLock { contents throws(ObjectStoreError) in
            try contents.checkWritable(operation.bucket)
            if !context.ignoresConditions {
                try Self.checkWriteConditions(
                    context,
                    existing: contents.buckets[operation.bucket]?[context.key]
                )
            }
            contents.buckets[operation.bucket]?.put(object, at: context.key)
            return object
        }
    }

    /// `If-None-Match: *` and `If-Match: ETAG` ("Conditional writes" in the Amazon S3 User Guide).
    private static func checkWriteConditions(_ context: Context, existing: Object?) throws(ObjectStoreError) {
        if let tags = context.request.headers["if-none-match"] {
            guard tags == "*" else { throw .notImplemented("If-None-Match with a value other than *") }
            guard existing == nil else { throw .preconditionFailed("If-None-Match") }
        }
        if let tags = context.request.headers["if-match"] {
            guard let existing else { throw .noSuchKey(context.operation.key) }
            guard matches(tags, existing.etag) else { throw .preconditionFailed("If-Match") }
        }
    }

    /// The checksums that the request gives, once they and `Content-MD5` agree with its body.
    func checkedChecksums(of request: LoopbackServer.Request) throws(ObjectStoreError) -> [String: String] {
        try checkMD5(of: request)
        var checked: [String: String] = [:]
        for checksum in Checksum.allCases {
            guard let value = request.headers[checksum.header] else { continue }
            guard checksum.value(of: request.body) == value else {
                throw .badDigest(checksum.rawValue.uppercased())
            }
            checked[checksum.header] = value
        }
        guard checked.count <= 1 else {
            throw .invalidRequest(
                "Expecting a single x-amz-checksum- header. Multiple checksum types are not allowed."
            )
        }
        return checked
    }

    func checkMD5(of request: LoopbackServer.Request) throws(ObjectStoreError) {
        guard let value = request.headers["content-md5"] else { return }
        guard Data(base64Encoded: value)?.count == Digest.md5.size else {
            throw ObjectStoreError(400, code: "InvalidDigest", "The Content-MD5 you specified was invalid.")
        }
        guard Data(Digest.md5.bytes(of: request.body)).base64EncodedString() == value else {
            throw .badDigest("Content-MD5")
        }
    }

    /// Stores an object without a request.
    func put(_ data: Data, key: String, bucket: String, headers: [String: String]) {
        let now = Date(timeIntervalSinceNow: settings.withLock { $0.clockOffset })
        let object = Object(
            data: data,
            lastModified: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)),
            versionID: contents.withLock { $0.nextVersion(in: bucket) },
            headers: ["content-type": "binary/octet-stream"].merging(headers) { $1 },
            storageClass: headers["x-amz-storage-class"] ?? "STANDARD"
        )
        contents.withLock { contents in
            guard let known = contents.buckets[bucket]?.bucket, known.generated == nil else {
                preconditionFailure("no bucket \(bucket), or one whose objects are generated")
            }
            contents.buckets[bucket]?.put(object, at: ObjectKey(key))
        }
    }
}
