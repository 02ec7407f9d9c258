import Foundation
import Synchronization

/// ListParts and ListMultipartUploads (Amazon S3 API Reference).
extension ObjectStoreService {
    func listParts(_ context: Context) throws(ObjectStoreError) -> Response {
        let operation = context.operation
        let upload = try upload(of: context)
        let limit = try Self.number(operation, "max-parts", default: 1000)
        let marker = operation.parameter("part-number-marker").flatMap { Int($0) } ?? 0
        let rest = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let page = rest.prefix(limit)
        var xml = XMLText(root: "ListPartsResult")
        xml.add("Bucket", operation.bucket)
        xml.add("Key", operation.key)
        xml.add("UploadId", upload.id)
        xml.add("PartNumberMarker", marker)
        xml.add("NextPartNumberMarker", page.last?.key ?? 0)
        xml.add("MaxParts", limit)
        xml.add("IsTruncated", page.count < rest.count ? "true" : "false")
        for (number, part) in page {
            xml.add("Part") { xml in
                xml.add("PartNumber", number)
                xml.add("LastModified", SignedDate.extended(part.lastModified))
                xml.add("ETag", part.etag)
                xml.add("Size", part.data.count)
                for checksum in Checksum.allCases {
                    xml.add(checksum.element, optional: part.checksums[checksum.header])
                }
            }
        }
        xml.add("StorageClass", upload.fields.storageClass)
        return .document(xml)
    }

    func listMultipartUploads(_ context: Context) throws(ObjectStoreError) -> Response {
        let operation = context.operation
        let prefix = operation.parameter("prefix") ?? ""
        let limit = try Self.number(operation, "max-uploads", default: 1000)
        let keyMarker = operation.parameter("key-marker")
        let idMarker = operation.parameter("upload-id-marker") ?? ""
        let rest = contents.withLock { contents in
            contents.uploads.values.filter { upload in
                guard upload.bucket == operation.bucket, ObjectKey(upload.key).hasPrefix(prefix) else {
                    return false
                }
                guard let keyMarker = keyMarker.map({ ObjectKey($0) }) else { return true }
                let key = ObjectKey(upload.key)
                return key > keyMarker || key == keyMarker && !idMarker.isEmpty && upload.id > idMarker
            }
        }
        .sorted { (ObjectKey($0.key), $0.id) < (ObjectKey($1.key), $1.id) }
        let page = rest.prefix(limit)
        let encode = operation.parameter("encoding-type") == "url" ? Self.urlEncoded : { $0 }
        var xml = XMLText(root: "ListMultipartUploadsResult")
        xml.add("Bucket", operation.bucket)
        xml.add("KeyMarker", encode(keyMarker ?? ""))
        xml.add("UploadIdMarker", idMarker)
        xml.add("Prefix", encode(prefix))
        xml.add("EncodingType", optional: operation.parameter("encoding-type"))
        xml.add("MaxUploads", limit)
        let isTruncated = page.count < rest.count
        xml.add("NextKeyMarker", optional: isTruncated ? (page.last?.key).map(encode) : nil)
        xml.add("NextUploadIdMarker", optional: isTruncated ? page.last?.id : nil)
        xml.add("IsTruncated", isTruncated ? "true" : "false")
        for upload in page {
            xml.add("Upload") { xml in
                xml.add("Key", encode(upload.key))
                xml.add("UploadId", upload.id)
                xml.add("StorageClass", upload.fields.storageClass)
                xml.add("Initiated", SignedDate.extended(upload.begun))
            }
        }
        return .document(xml)
    }
}
