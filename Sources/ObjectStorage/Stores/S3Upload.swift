public import Files
import Foundation
import Transport

/// An object that is written in parts (Amazon S3 API Reference, "CreateMultipartUpload").
///
/// Nothing is seen of it before it is completed. Its parts are kept, and cost money, until it is completed or aborted.
public struct S3Upload: Sendable {
    /// A part that the store has.
    public struct Part: Sendable, Hashable, Codable {
        /// The number, from 1 to 10,000.
        public let number: Int
        /// The entity tag that the store gave it.
        public let etag: String
        /// SHA-256 as the store told it, in base64; nil if it keeps none.
        public let sha256: String?
        /// The size in bytes.
        public let size: Int

        /// Describes a part that was written before.
        public init(number: Int, etag: String, sha256: String?, size: Int) {
            (self.number, self.etag, self.sha256, self.size) = (number, etag, sha256, size)
        }
    }

    /// The most parts that are sent at once.
    private static let width = 4

    private let client: S3Client
    /// The object.
    public let location: ObjectLocation
    /// The store's identifier of the upload.
    public let identifier: String

    /// Continues an upload that was begun before.
    public init(_ client: S3Client, _ location: ObjectLocation, identifier: String) {
        (self.client, self.location, self.identifier) = (client, location, identifier)
    }

    /// Begins an upload.
    /// - Throws: ``StoreError``.
    public static func begin(
        _ client: S3Client,
        at location: ObjectLocation,
        _ attributes: ObjectAttributes = ObjectAttributes()
    ) async throws(StoreError) -> S3Upload {
        let headers = attributes.headers + [.init("x-amz-checksum-algorithm", "SHA256")]
        let request = S3Request("POST", location, query: [("uploads", nil)], headers: headers, body: Data())
        let identifier = try await client.send(request, to: "begin to write", limit: S3Client.shortAnswer) {
            $0.document("InitiateMultipartUploadResult")?["UploadId"]?.text.nonEmpty
        }
        return S3Upload(client, location, identifier: identifier)
    }

    /// Writes a part, and replaces an older one of its number.
    ///
    /// Each part but the last must have 5 MiB or more.
    /// - Throws: ``StoreError``; `notFound` if the upload was aborted or completed.
    public func put(_ payload: Payload, asPart number: Int) async throws(StoreError) -> Part {
        let digest = try payload.sha256
        let sha256 = Data(digest).base64EncodedString()
        let request = S3Request(
            "PUT",
            location,
            query: [("partNumber", String(number)), ("uploadId", identifier)],
            headers: [.init("x-amz-checksum-sha256", sha256)],
            payload: payload,
            sha256: Digest.hex(digest)
        )
        let answer = try await client.send(request, to: "write a part of", limit: S3Client.shortAnswer) {
            $0.head.status == 200 && $0.etag != nil && $0.isEmpty ? $0 : nil
        }
        let stored = answer.head.value(of: "x-amz-checksum-sha256")
        guard stored == nil || stored == sha256 else {
            throw StoreError(
                .damaged,
                "cannot write a part of \(location): the store has other bytes than were sent"
            )
        }
        return Part(number: number, etag: answer.etag ?? "", sha256: stored, size: payload.count)
    }

    /// Makes the object of its parts, in the order of their numbers.
    /// - Parameters:
    ///   - parts: All parts.
    ///   - ifAbsent: True to leave an object that exists; the error's status is then 412.
    /// - Returns: The facts of the object.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func complete(_ parts: [Part], ifAbsent: Bool = false) async throws(StoreError) -> ObjectFacts {
        let parts = parts.sorted { $0.number < $1.number }
        let listed = parts.map { part in
            let sha256 = part.sha256.map { "<ChecksumSHA256>\($0)</ChecksumSHA256>" } ?? ""
            let etag = part.etag.replacingOccurrences(of: "\"", with: "&quot;")
            return "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(etag)</ETag>\(sha256)</Part>"
        }
        let document =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(listed.joined())"
            + "</CompleteMultipartUpload>"
        let request = S3Request(
            "POST",
            location,
            query: [("uploadId", identifier)],
            headers: [.init("Content-Type", "application/xml")]
                + (ifAbsent ? [.init("If-None-Match", "*")] : []),
            body: Data(document.utf8)
        )
        let size = parts.reduce(0) { $0 + $1.size }
        do throws(StoreError) {
            return try await client.send(
                request,
                to: "complete",
                limit: S3Client.shortAnswer,
                confirm: { () async throws(StoreError) in try await completed(parts, size: size) }
            ) { answer in
                answer.document("CompleteMultipartUploadResult")?["ETag"]?.text.nonEmpty.map {
                    ObjectFacts(size: size, etag: $0)
                }
            }
        } catch  where error.service?.code == "NoSuchUpload" || error.reason == .notFound {
            // An earlier attempt, whose answer was lost, may have completed it.
            guard let facts = try await completed(parts, size: size) else { throw error }
            return facts
        }
    }

    /// Returns the facts of the object if it is the one of these parts.
    private func completed(_ parts: [Part], size: Int) async throws(StoreError) -> ObjectFacts? {
        guard let facts = try await head(), facts.size == size,
            facts.etag.map(Self.bare) == Self.etag(of: parts)
        else { return nil }
        return facts
    }

    /// Removes the parts; an upload that is no longer there is no error.
    /// - Throws: ``StoreError``.
    public func abort() async throws(StoreError) {
        do throws(StoreError) {
            try await client.send(
                S3Request("DELETE", location, query: [("uploadId", identifier)]),
                to: "abort the upload of",
                limit: S3Client.shortAnswer
            ) { $0.saysDeleted }
        } catch  where error.reason == .notFound {
            return
        }
    }

    /// Writes a whole object in parts, some at once; aborts the upload if that fails.
    static func put(
        _ payload: Payload,
        at location: ObjectLocation,
        _ attributes: ObjectAttributes,
        by client: S3Client,
        ifAbsent: Bool
    ) async throws(StoreError) -> ObjectFacts {
        let upload = try await begin(client, at: location, attributes)
        do {
            let starts = Array(stride(from: 0, to: payload.count, by: S3Store.partSize))
            let parts = try await withThrowingTaskGroup(of: Part.self) { group in
                var parts: [Part] = []
                for (index, start) in starts.enumerated() {
                    if index >= width, let part = try await group.next() { parts.append(part) }
                    group.addTask {
                        let end = min(start + S3Store.partSize, payload.count)
                        return try await upload.put(payload[start..<end], asPart: index + 1)
                    }
                }
                for try await part in group { parts.append(part) }
                return parts
            }
            return try await upload.complete(parts, ifAbsent: ifAbsent)
        } catch {
            // Also if the task was cancelled, whose requests would end at once.
            _ = await Task { try? await upload.abort() }.value
            throw error as? StoreError ?? StoreError(.cancelled, "writing \(location) was cancelled")
        }
    }

    private func head() async throws(StoreError) -> ObjectFacts? {
        try await S3Store(client, at: ObjectLocation(bucket: location.bucket, key: "")).head(location.key)
    }

    /// The entity tag that S3 gives an object of these parts: the MD5 of their MD5s, and their number.
    private static func etag(of parts: [Part]) -> String {
        var digests = Data()
        for part in parts {
            let digits = Array(bare(part.etag))
            for index in stride(from: 0, to: digits.count - 1, by: 2) {
                digests.append(UInt8(String(digits[index...(index + 1)]), radix: 16) ?? 0)
            }
        }
        return "\(Digest.md5.hex(of: digests))-\(parts.count)"
    }

    private static func bare(_ etag: String) -> String {
        etag.trimmingCharacters(in: CharacterSet(charactersIn: "\"")).lowercased()
    }
}
