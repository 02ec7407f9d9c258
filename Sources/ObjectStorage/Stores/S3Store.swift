public import Files
public import Foundation
import Transport

/// A store in a bucket, below a prefix.
///
/// Every object is written with its SHA-256, which services that keep checksums compare and return; one that a service does not
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

    /// Checks that keys which begin with the key of the store's root can be listed, with a request for one of them.
    /// - Throws: ``StoreError``.
    public func checkListing() async throws(StoreError) {
        _ = try await S3Listing(client, bucket: root.bucket).page(prefix: root.key, count: 1)
    }

    /// Writes an object.
    public func put(_ payload: Payload, at key: String, _ attributes: ObjectAttributes)
        async throws(StoreError) -> ObjectFacts
    {
        guard payload.count <= Self.partSize else {
            return try await S3Upload.put(payload, at: location(key), attributes, by: client, ifAbsent: false)
        }
        return try await write(payload, at: key, attributes, condition: [])
    }

    /// Writes an object unless the key is taken (`If-None-Match: *`).
    ///
    /// A service that does not know the condition would replace the object: see ``Store/honoursConditions(below:)``.
    public func putIfAbsent(
        _ payload: Payload,
        at key: String,
        _ attributes: ObjectAttributes
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            if payload.count > Self.partSize {
                _ = try await S3Upload.put(payload, at: location(key), attributes, by: client, ifAbsent: true)
            } else {
                _ = try await write(payload, at: key, attributes, condition: [.init("If-None-Match", "*")])
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
        return try await holds(payload, at: key) != nil
    }

    /// Returns the facts of the object at a key if it has these bytes.
    func holds(_ payload: Payload, at key: String) async throws(StoreError) -> ObjectFacts? {
        guard let facts = try await head(key), facts.size == payload.count else { return nil }
        let isEqual =
            if let sha256 = facts.sha256 {
                sha256 == Digest.hex(try payload.sha256)
            } else if let data = payload.data {
                try await get(key, limit: data.count) == data
            } else {
                try await holds(payload, in: ObjectReader(client, location(key), listed: facts))
            }
        return isEqual ? facts : nil
    }

    /// Returns true if an object of the same size has the bytes of a payload.
    private func holds(_ payload: Payload, in object: ObjectReader) async throws(StoreError) -> Bool {
        var position = 0
        while position < payload.count {
            let piece = try await object.piece(at: position)
            let range = position..<position + piece.count
            do throws(FileError) { guard try payload.read(range) == piece else { return false } } catch {
                throw StoreError(error)
            }
            position += piece.count
        }
        return true
    }

    /// Returns the bytes of an object, compared with the digests that the service returns.
    public func get(_ key: String, limit: Int) async throws(StoreError) -> Data {
        let request = S3Request("GET", location(key), headers: [.init("x-amz-checksum-mode", "ENABLED")])
        let answer = try await client.send(request, to: "read", limit: limit) {
            $0.head.status == 200 ? $0 : nil
        }
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
        let answer = try await client.send(request, to: "read", limit: max(count, S3Client.wholeLimit)) {
            [200, 206].contains($0.head.status) && $0.begins(at: offset) ? $0 : nil
        }
        // A service that does not know ranges sends everything; one that does may show it only in the header.
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
        do throws(StoreError) { return try await client.facts(of: location(key), to: "look for") } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the next objects, up to 1,000.
    public func list(_ prefix: String, after key: String?) async throws(StoreError) -> ObjectPage {
        let base = root.appending("").key
        let (prefix, start) = (base + prefix, key.map { base + $0 })
        let page = try await S3Listing(client, bucket: root.bucket).page(prefix: prefix, after: start)
        // A store that does not know where to go on would be listed for ever.
        let isBehind = page.entries.allSatisfy { entry in
            start.map { page.isByBytes ? $0.isBefore(entry.key) : $0 != entry.key } ?? true
        }
        guard isBehind, !page.isTruncated || !page.entries.isEmpty else {
            throw StoreError(
                .unavailable,
                "cannot list \(root): the page behind \(start?.debugDescription ?? "the beginning") has other keys than were asked for"
            )
        }
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
            try await client.send(
                S3Request("DELETE", location(key)),
                to: "delete",
                limit: S3Client.shortAnswer,
                confirm: { () async throws(StoreError) in try await head(key) == nil ? () : nil }
            ) { $0.saysDeleted }
        } catch  where error.reason == .notFound {
            return
        }
    }

    /// The location of a key.
    public func location(_ key: String) -> ObjectLocation {
        root.appending(key)
    }

    private func write(
        _ payload: Payload,
        at key: String,
        _ attributes: ObjectAttributes,
        condition: [TransferRequest.Header]
    ) async throws(StoreError) -> ObjectFacts {
        let digest = try payload.sha256
        let checksum = Data(digest).base64EncodedString()
        let headers = attributes.headers + condition + [.init("x-amz-checksum-sha256", checksum)]
        let sha256 = Digest.hex(digest)
        let request = S3Request("PUT", location(key), headers: headers, payload: payload, sha256: sha256)
        return try await client.send(
            request,
            to: "write",
            limit: S3Client.shortAnswer,
            confirm: { () async throws(StoreError) in try await holds(payload, at: key) }
        ) { answer throws(StoreError) in
            guard answer.head.status == 200, answer.isEmpty else { return nil }
            let isProved = try check(answer.head, sha256: sha256, payload, at: key)
            guard isProved || answer.etag != nil else { return nil }
            return ObjectFacts(size: payload.count, etag: answer.etag, sha256: sha256)
        }
    }

    /// Compares the digest that the service returns of what it has stored; returns false if there is none.
    private func check(
        _ head: ResponseHead,
        sha256: String,
        _ payload: Payload,
        at key: String
    ) throws(StoreError) -> Bool {
        let isEqual: Bool
        if let stored = Self.sha256(head) {
            isEqual = stored == sha256
        } else if let md5 = Self.md5(head) {
            do throws(FileError) {
                isEqual = try md5 == Digest.md5.hex(of: payload)
            } catch {
                throw StoreError(error)
            }
        } else {
            return false
        }
        guard isEqual else {
            throw StoreError(
                .damaged,
                "cannot write \(location(key)): the store has other bytes than were sent"
            )
        }
        return true
    }

    /// The SHA-256 of a whole object in hexadecimal; that of an object in parts is one of the parts' digests.
    fileprivate static func sha256(_ head: ResponseHead) -> String? {
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

extension Payload {
    /// The SHA-256, with which it is stored.
    var sha256: [UInt8] {
        get throws(StoreError) {
            do throws(FileError) { return try Digest.sha256.bytes(of: self) } catch {
                throw StoreError(error)
            }
        }
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

extension S3Client {
    /// Returns the facts of an object, which the answer to HEAD has in its header: one without a size tells nothing of it, and would
    /// be taken for that of an empty object.
    /// - Throws: ``StoreError``; `notFound` if there is none.
    func facts(of location: ObjectLocation, to operation: String) async throws(StoreError) -> ObjectFacts {
        let request = S3Request("HEAD", location, headers: [.init("x-amz-checksum-mode", "ENABLED")])
        return try await send(request, to: operation, limit: Self.shortAnswer) { answer in
            guard answer.head.status == 200, let etag = answer.etag, let size = answer.head.contentLength
            else { return nil }
            return ObjectFacts(
                size: size,
                etag: etag,
                modified: answer.head.value(of: "Last-Modified").flatMap { HTTPDate.date($0) },
                sha256: S3Store.sha256(answer.head)
            )
        }
    }
}
