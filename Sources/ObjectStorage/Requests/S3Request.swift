public import Files
public import Foundation
public import Transport

/// A request to an object store, before it has an address and a signature.
public struct S3Request: Sendable {
    /// The method, such as `GET`.
    public var method: String
    /// The bucket, and the key in it.
    public var location: ObjectLocation
    /// The parameters of the query; those without a value are sent as a name alone.
    public var query: [(name: String, value: String?)]
    /// The header fields.
    public var headers: [TransferRequest.Header]
    /// The body.
    public var body: Payload?
    /// SHA-256 of the body in hexadecimal, which is signed; nil to compute it when the request is sent.
    public var bodySHA256: String?

    /// Creates a request.
    public init(
        _ method: String,
        _ location: ObjectLocation,
        query: [(name: String, value: String?)] = [],
        headers: [TransferRequest.Header] = [],
        body: Data? = nil
    ) {
        self.method = method
        self.location = location
        self.query = query
        self.headers = headers
        self.body = body.map(Payload.init)
    }

    /// Creates a request with a body of which the SHA-256 is known.
    init(
        _ method: String,
        _ location: ObjectLocation,
        query: [(name: String, value: String?)] = [],
        headers: [TransferRequest.Header],
        payload: Payload,
        sha256: String
    ) {
        self.init(method, location, query: query, headers: headers)
        (body, bodySHA256) = (payload, sha256)
    }

    /// The query with its names and values percent-encoded, with the question mark; empty without one.
    var queryText: String {
        guard !query.isEmpty else { return "" }
        let pairs = query.map { name, value in
            PercentEncoding.encoded(name) + (value.map { "=" + PercentEncoding.encoded($0) } ?? "")
        }
        return "?" + pairs.joined(separator: "&")
    }
}

/// The answer of an object store.
public struct S3Response: Sendable {
    /// The status and the header fields.
    public let head: ResponseHead
    /// The body.
    public let body: Data

    /// True if there is no body, as in answers that say nothing but that something was done.
    var isEmpty: Bool { body.allSatisfy { $0 <= 0x20 } }

    /// The entity tag; nil if there is none.
    var etag: String? { head.value(of: "ETag").flatMap { $0.isEmpty ? nil : $0 } }

    /// False for a part of an object that begins elsewhere than at `offset`, as its `Content-Range` says.
    func begins(at offset: Int) -> Bool {
        guard let range = head.value(of: "Content-Range") else { return true }
        return range.lowercased().hasPrefix("bytes \(offset)-")
    }

    /// A value if the answer says that something was deleted; 200 is that of some services in place of 204.
    var saysDeleted: Void? { [200, 204].contains(head.status) && isEmpty ? () : nil }

    /// The document of status 200 whose root has this name; nil for any other answer.
    func document(_ name: String) -> XMLElement? {
        guard head.status == 200, let root = XMLElement(body), root.name == name else { return nil }
        return root
    }
}

extension String {
    /// The text; nil if it is empty.
    var nonEmpty: String? { isEmpty ? nil : self }
}
