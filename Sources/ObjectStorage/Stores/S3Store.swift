import Files
public import Foundation
import Transport

/// A store in a bucket, below a prefix.
///
/// Every object is written with its SHA-256, which services that keep checksums compare and tell; one that a service does not
/// keep is compared with the entity tag, if that is an MD5. Objects above ``partSize`` are written in parts.
public struct S3Store: Store {
    /// The size from which on an object is written in parts, and the size of each part but the last.
    public static let partSize = 64 << 20

    let client: S3Client
    /// The bucket and the prefix of all keys.
    public let root: ObjectLocation

    /// Creates a store at `root`.
    public init(_ client: S3Client, at root: ObjectLocation) {
        (self.client, self.root) = (client, root)
    }

    /// The location as `s3://bucket/prefix`.
    public var description: String { root.description }

    /// Writes an object.
    public func put(_ data: Data, at key: String, _ attributes: ObjectAttributes) async throws(StoreError)
        -> ObjectFacts
    {
        guard data.count <= Self.partSize else {
            return try await S3Upload.put(data, at: location(key), attributes, by: client, ifAbsent: false)
        }
        return try await write(data, at: key, attributes, condition: [])
    }

    /// Writes an object unless the key is taken (`If-None-Match: *`).
    ///
    /// A service that does not know the condition would replace the object: see ``Store/honoursConditions(below:)``.
    public func putIfAbsent(
        _ data: Data,
        at key: String,
        _ attributes: ObjectAttributes
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            if data.count > Self.partSize {
                _ = try await S3Upload.put(data, at: location(key), attributes, by: client, ifAbsent: true)
            } else {
                _ = try await write(data, at: key, attributes, condition: [.init("If-None-Match", "*")])
            }
            return true
        } catch {
            guard error.service?.status != 501 else {
                throw StoreError(
                    .refused,
                    "cannot write \(location(key)) only if it is absent: the object store does not support conditions",
                    service: error.service
                )
            }
            guard error.service?.status == 412 else { throw error }
        }
        // The object may be that of an earlier attempt, whose answer was lost.
        guard let facts = try await head(key), facts.size == data.count else { return false }
        if let sha256 = facts.sha256 { return sha256 == Digest.sha256.hex(of: data) }
        return try await get(key, limit: data.count) == data
    }

    /// Returns the bytes of an object, compared with the digests that the service tells.
    public func get(_ key: String, limit: Int) async throws(StoreError) -> Data {
        let request = S3Request("GET", location(key), headers: [.init("x-amz-checksum-mode", "ENABLED")])
        let answer = try await client.send(request, to: "read", limit: limit)
        if let sha256 = Self.sha256(answer.head), sha256 != Digest.sha256.hex(of: answer.body) {
            throw StoreError(
                .damaged,
                "cannot read \(location(key)): its bytes do not have the SHA-256 that was stored"
            )
        }
        return answer.body
    }

    /// Returns up to `count` bytes of an object from an offset on; fewer where it ends before.
    /// - Throws: ``StoreError``; of status 416 if it ends before the offset.
    public func get(_ key: String, from offset: Int, count: Int) async throws(StoreError) -> Data {
        guard count > 0, offset >= 0 else { return Data() }
        let range = TransferRequest.Header("Range", "bytes=\(offset)-\(offset + count - 1)")
        let request = S3Request("GET", location(key), headers: [range])
        let answer = try await client.send(request, to: "read", limit: max(count, S3Client.wholeLimit))
        // A service that does not know ranges sends everything; one that does may tell only by the header.
        guard answer.head.status == 200, answer.head.value(of: "Content-Range") == nil else {
            return answer.body
        }
        return Data(answer.body.dropFirst(offset).prefix(count))
    }

    /// Returns a reader of an object that is too large for the memory.
    /// - Throws: ``StoreError``; `notFound` if there is none.
    public func reader(_ key: String) async throws(StoreError) -> ObjectReader {
        try await ObjectReader(client, location(key))
    }

    /// Returns the facts of an object.
    public func head(_ key: String) async throws(StoreError) -> ObjectFacts? {
        let request = S3Request("HEAD", location(key), headers: [.init("x-amz-checksum-mode", "ENABLED")])
        do throws(StoreError) {
            let head = try await client.send(request, to: "look for", limit: S3Client.shortAnswer).head
            return ObjectFacts(
                size: head.contentLength ?? 0,
                etag: head.value(of: "ETag"),
                modified: head.value(of: "Last-Modified").flatMap { HTTPDate.date($0) },
                sha256: Self.sha256(head)
            )
        } catch  where error.reason == .notFound {
            return nil
        }
    }

    /// Returns the next objects, up to 1,000.
    public func list(_ prefix: String, after key: String?) async throws(StoreError) -> ObjectPage {
        let base = root.appending("").key
        let page = try await S3Listing(client, bucket: root.bucket).page(
            prefix: base + prefix,
            after: key.map { base + $0 }
        )
        let entries = page.entries.map {
            ObjectPage.Entry(
                key: String($0.key.unicodeScalars.dropFirst(base.unicodeScalars.count)),
                facts: $0.facts
            )
        }
        return ObjectPage(entries: entries, next: page.isTruncated ? entries.last?.key : nil)
    }

    /// Deletes an object.
    public func delete(_ key: String) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await client.send(
                S3Request("DELETE", location(key)),
                to: "delete",
                limit: S3Client.shortAnswer
            )
        } catch  where error.reason == .notFound {
            return
        }
    }

    /// The location of a key.
    public func location(_ key: String) -> ObjectLocation {
        root.appending(key)
    }

    private func write(
        _ data: Data,
        at key: String,
        _ attributes: ObjectAttributes,
        condition: [TransferRequest.Header]
    ) async throws(StoreError) -> ObjectFacts {
        let digest = Digest.sha256.bytes(of: data)
        let headers =
            attributes.headers + condition + [
                .init("x-amz-checksum-sha256", Data(digest).base64EncodedString())
            ]
        let request = S3Request("PUT", location(key), headers: headers, body: data)
        let head = try await client.send(request, to: "write", limit: S3Client.shortAnswer).head
        let sha256 = Digest.hex(digest)
        try check(head, sha256: sha256, data, at: key)
        return ObjectFacts(size: data.count, etag: head.value(of: "ETag"), sha256: sha256)
    }

    /// Compares the digest that the service tells of what it has stored.
    private func check(_ head: ResponseHead, sha256: String, _ data: Data, at key: String) throws(StoreError)
    {
        let isEqual: Bool
        if let stored = Self.sha256(head) {
            isEqual = stored == sha256
        } else if let md5 = Self.md5(head) {
            isEqual = md5 == Digest.md5.hex(of: data)
        } else {
            isEqual = true
        }
        guard isEqual else {
            throw StoreError(
                .damaged,
                "cannot write \(location(key)): the store has other bytes than were sent"
            )
        }
    }

    /// The SHA-256 of a whole object in hexadecimal; that of an object in parts is one of the parts' digests.
    private static func sha256(_ head: ResponseHead) -> String? {
        guard let text = head.value(of: "x-amz-checksum-sha256"), !text.contains("-"),
            let bytes = Data(base64Encoded: text), bytes.count == Digest.sha256.size
        else { return nil }
        return Digest.hex(bytes)
    }

    /// The entity tag, if it is the MD5 of the bytes: not of parts, and not of encrypted bytes (Amazon S3 API Reference,
    /// "Object").
    private static func md5(_ head: ResponseHead) -> String? {
        let encryption = head.value(of: "x-amz-server-side-encryption") ?? "AES256"
        guard encryption == "AES256",
            head.value(of: "x-amz-server-side-encryption-customer-algorithm") == nil,
            let etag = head.value(of: "ETag")?.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
                .lowercased(),
            etag.utf8.count == 32, etag.allSatisfy(\.isHexDigit)
        else { return nil }
        return etag
    }
}

extension ObjectAttributes {
    /// The header fields of a request that writes an object.
    var headers: [TransferRequest.Header] {
        var headers = [TransferRequest.Header("Content-Type", contentType ?? "application/octet-stream")]
        if let cacheControl { headers.append(.init("Cache-Control", cacheControl)) }
        if let storageClass { headers.append(.init("x-amz-storage-class", storageClass)) }
        headers += metadata.sorted { $0.key < $1.key }.map { .init("x-amz-meta-\($0.key)", $0.value) }
        return headers
    }
}
