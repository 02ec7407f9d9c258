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
    public var body: Data?

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
        self.body = body
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
}
