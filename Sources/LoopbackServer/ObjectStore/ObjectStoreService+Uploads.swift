import Files
import Foundation
import Synchronization

/// CreateMultipartUpload, UploadPart, CompleteMultipartUpload and AbortMultipartUpload (Amazon S3 API Reference).
extension ObjectStoreService {
    func createMultipartUpload(_ context: Context) throws(ObjectStoreError) -> Response {
        let operation = context.operation
        let headers = context.request.headers
        let fields = try ObjectFields(context.request)
        let algorithm = try headers["x-amz-checksum-algorithm"].map { name throws(ObjectStoreError) in
            guard let algorithm = Checksum(rawValue: name.lowercased()) else {
                throw .invalidRequest("Checksum algorithm provided is unsupported: \(name)")
            }
            return algorithm
        }
        let coversWhole =
            algorithm?.coversWholeObject == true || headers["x-amz-checksum-type"] == "FULL_OBJECT"
        let id = contents.withLock { contents in
            contents.uploadCount += 1
            let id = Digest.sha256.hex(of: "upload \(contents.uploadCount) of \(operation.key)")
            contents.uploads[id] = Upload(
                id: id,
                bucket: operation.bucket,
                key: operation.key,
                begun: context.now,
                fields: fields,
                algorithm: algorithm,
                coversWholeObject: coversWhole
            )
            return id
        }
        var xml = XMLText(root: "InitiateMultipartUploadResult")
        xml.add("Bucket", operation.bucket)
        xml.add("Key", operation.key)
        xml.add("UploadId", id)
        var response = Response.document(xml)
        if let algorithm {
            response.headers.append(("x-amz-checksum-algorithm", algorithm.rawValue.uppercased()))
            response.headers.append(("x-amz-checksum-type", coversWhole ? "FULL_OBJECT" : "COMPOSITE"))
        }
        return response
    }

    func uploadPart(_ context: Context) throws(ObjectStoreError) -> Response {
        let request = context.request
        let partNumber = context.operation.parameter("partNumber").flatMap { Int($0) }
        guard let number = partNumber, (1...10_000).contains(number) else {
            throw .invalidArgument("Part number must be an integer between 1 and 10000, inclusive")
        }
        let checksums = try checkedChecksums(of: request)
        let part = LoopbackObjectStore.Part(
            data: request.body,
            etag: "\"\(Digest.md5.hex(of: request.body))\"",
            checksums: checksums,
            lastModified: context.now
        )
        // Without a copy of the upload, whose parts would all be copied by the change.
        let id = try upload(of: context).id
        contents.withLock { $0.uploads[id]?.parts[number] = part }
        return Response(headers: [("ETag", part.etag)] + checksums.map { ($0.key, $0.value) })
    }

    func abortMultipartUpload(_ context: Context) throws(ObjectStoreError) -> Response {
        let upload = try upload(of: context)
        contents.withLock { $0.uploads[upload.id] = nil }
        return Response(status: 204)
    }

    func completeMultipartUpload(_ context: Context) throws(ObjectStoreError) -> Response {
        let upload = try upload(of: context)
        let parts = try CompletedParts(
            document: context.request.body,
            upload: upload,
            minimumPartSize: settings.withLock { $0.minimumPartSize }
        )
        let checksum = parts.checksum(of: upload)
        if let checksum, let given = context.request.headers[checksum.header], given != checksum.value {
            throw .badDigest(checksum.header)
        }
        let object = try store(context) { version in
            Object(
                data: parts.data,
                etag: parts.etag,
                lastModified: context.now,
                versionID: version,
                headers: upload.fields.headers,
                storageClass: upload.fields.storageClass,
                checksums: checksum.map { [$0.header: $0.value] } ?? [:]
            )
        }
        contents.withLock { $0.uploads[upload.id] = nil }
        var xml = XMLText(root: "CompleteMultipartUploadResult")
        let host = context.request.headers["host"] ?? ""
        let path = PercentEncoding.encode(context.operation.path.utf8, keepsSlash: true)
        xml.add("Location", "http://\(host)\(path)")
        xml.add("Bucket", upload.bucket)
        xml.add("Key", upload.key)
        xml.add("ETag", object.etag)
        if let checksum {
            xml.add(checksum.element, checksum.value)
            xml.add("ChecksumType", upload.coversWholeObject ? "FULL_OBJECT" : "COMPOSITE")
        }
        var response = Response.document(xml)
        if let version = object.versionID { response.headers.append(("x-amz-version-id", version)) }
        return response
    }

    /// - Throws: `NoSuchUpload`, also for an upload of another key.
    func upload(of context: Context) throws(ObjectStoreError) -> Upload {
        let id = context.operation.parameter("uploadId") ?? ""
        guard let upload = contents.withLock({ $0.uploads[id] }), upload.bucket == context.operation.bucket,
            ObjectKey(upload.key) == context.key
        else { throw .noSuchUpload(id) }
        return upload
    }
}
