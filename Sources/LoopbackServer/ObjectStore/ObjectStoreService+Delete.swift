import Foundation
import Synchronization

/// DeleteObject and DeleteObjects (Amazon S3 API Reference).
extension ObjectStoreService {
    func deleteObject(_ context: Context) throws(ObjectStoreError) -> Response {
        let deleted = try delete(
            context.key,
            versionID: context.operation.parameter("versionId"),
            in: context.operation.bucket,
            at: context.now
        )
        var headers: [(name: String, value: String)] = []
        if let version = deleted.versionID { headers.append(("x-amz-version-id", version)) }
        if deleted.isMarker { headers.append(("x-amz-delete-marker", "true")) }
        return Response(status: 204, headers: headers)
    }

    func deleteObjects(_ context: Context) throws(ObjectStoreError) -> Response {
        let request = context.request
        try checkMD5(of: request)
        let checksums = try checkedChecksums(of: request)
        guard request.headers["content-md5"] != nil || !checksums.isEmpty else {
            throw .invalidRequest("Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
        }
        guard let root = DocumentElement.parse(request.body), root.name == "Delete" else {
            throw .malformedXML("the root must be Delete")
        }
        let objects = root.children.filter { $0.name == "Object" }
        guard (1...1000).contains(objects.count) else { throw .malformedXML("from 1 to 1,000 objects") }
        let isQuiet = root["Quiet"]?.text == "true"
        var xml = XMLText(root: "DeleteResult")
        for object in objects {
            guard let key = object["Key"]?.text, !key.isEmpty else {
                throw .malformedXML("an Object without a Key")
            }
            let deleted = try delete(
                ObjectKey(key),
                versionID: object["VersionId"]?.text,
                in: context.operation.bucket,
                at: context.now
            )
            guard !isQuiet else { continue }
            xml.add("Deleted") { xml in
                xml.add("Key", key)
                xml.add("VersionId", optional: object["VersionId"]?.text)
                if deleted.isMarker {
                    xml.add("DeleteMarker", "true")
                    xml.add("DeleteMarkerVersionId", optional: deleted.versionID)
                }
            }
        }
        return .document(xml)
    }

    /// Removes an object, or a version; without one in a versioned bucket, adds a mark of the deletion.
    private func delete(
        _ key: ObjectKey,
        versionID: String?,
        in name: String,
        at now: Date
    ) throws(ObjectStoreError) -> (versionID: String?, isMarker: Bool) {
        try contents.withLock { contents throws(ObjectStoreError) in
            try contents.checkWritable(name)
            if let versionID {
                let isMarker = contents.buckets[name]?.version(versionID, of: key)?.isDeleteMarker ?? false
                contents.buckets[name]?.removeVersion(versionID, of: key)
                return (versionID, isMarker)
            }
            let marker = Object(
                data: Data(),
                lastModified: now,
                versionID: contents.nextVersion(in: name),
                isDeleteMarker: true
            )
            contents.buckets[name]?.put(marker, at: key)
            return (marker.versionID, marker.versionID != nil)
        }
    }
}
