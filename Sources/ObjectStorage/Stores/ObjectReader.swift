public import Foundation
import Transport

/// Reads an object a piece at a time, so that one of any size takes little memory.
///
/// Each piece is a request of its own, which the client repeats; the entity tag proves that all are of the same object. It may
/// be used from any thread.
public struct ObjectReader: Sendable {
    /// The size of a piece in bytes.
    public static let pieceSize = 4 << 20

    /// The bucket and the key.
    public let location: ObjectLocation
    /// The size and the entity tag, by which a change is noticed.
    public private(set) var facts: ObjectFacts
    private let client: S3Client
    /// The entity tag that all answers have; nil for an object of a listing, in which some services give other tags.
    private let tag: String?

    /// Looks for an object.
    /// - Throws: ``StoreError``; `notFound` if there is none.
    public init(_ client: S3Client, _ location: ObjectLocation) async throws(StoreError) {
        facts = try await client.facts(of: location, to: "read")
        (self.client, self.location, tag) = (client, location, facts.etag)
    }

    /// Reads an object that a listing has told of.
    public init(_ client: S3Client, _ location: ObjectLocation, listed facts: ObjectFacts) {
        (self.client, self.location, self.facts, tag) = (client, location, facts, nil)
        // Some stores omit the quotes in listings, which a condition needs (RFC 9110, section 8.8.3).
        if let etag = facts.etag, !etag.hasSuffix("\"") {
            self.facts.etag = etag.isEmpty ? nil : "\"\(etag)\""
        }
    }

    /// Returns the bytes from `position` on, at most ``pieceSize``; none at the end.
    /// - Throws: ``StoreError``; `damaged` if the object is no longer the one that was found.
    public func piece(at position: Int) async throws(StoreError) -> Data {
        let end = min(position + Self.pieceSize, facts.size)
        guard position < end else { return Data() }
        var request = S3Request("GET", location)
        request.headers.append(.init("Range", "bytes=\(position)-\(end - 1)"))
        if let etag = facts.etag { request.headers.append(.init("If-Match", etag)) }
        let answer: S3Response
        do throws(StoreError) {
            answer = try await client.send(
                request,
                to: "read",
                limit: max(Self.pieceSize, S3Client.wholeLimit)
            ) { [200, 206].contains($0.head.status) && $0.begins(at: position) ? $0 : nil }
        } catch {
            guard error.service?.status == 412 else { throw error }
            throw changed
        }
        // Some services ignore the condition.
        if let tag, let other = answer.etag, other != tag { throw changed }
        let isWhole = answer.head.status == 200 && answer.body.count == facts.size
        let body = isWhole ? answer.body.dropFirst(position).prefix(end - position) : answer.body
        guard body.count == end - position, answer.head.status == 206 || isWhole else {
            throw StoreError(
                .damaged,
                "cannot read \(location): the answer has other bytes than were asked for"
            )
        }
        return Data(body)
    }

    private var changed: StoreError {
        StoreError(.damaged, "cannot read \(location): it was changed while it was read")
    }
}
