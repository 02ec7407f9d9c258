import Foundation
import FoundationNetworking

/// A response as an HTTP cache stores it, with all that RFC 9111 asks later.
struct CachedHTTPResponse: Sendable, Hashable {
    /// All but the body.
    struct Head: Sendable, Hashable, Codable {
        /// The URL that was asked, without its fragment.
        var url: String
        /// The URL that answered, if redirects led to another.
        var redirectedTo: String?
        var status: Int
        var fields: HeaderFields
        /// The request's fields that `Vary` names, in lower case, as they compare; nil for one that was not sent.
        var selectors: [String: String?]
        /// The time of the request, in seconds since 1970.
        var requestTime: Double
        /// The time at which the response began to arrive, in seconds since 1970.
        var responseTime: Double
        var size: Int
    }

    var head: Head
    var body: Data

    /// The response of a finished exchange.
    init(
        _ response: HTTPURLResponse,
        body: Data,
        request: URLRequest,
        requestTime: Date,
        responseTime: Date
    ) {
        let url = HTTPCacheKey.text(of: request.url)
        let answered = HTTPCacheKey.text(of: response.url)
        var fields = HeaderFields(response)
        fields.removeConnectionFields()
        head = Head(
            url: url,
            redirectedTo: answered == url || response.url == nil ? nil : answered,
            status: response.statusCode,
            fields: fields,
            selectors: HTTPCacheKey.selectors(of: request, by: fields),
            requestTime: requestTime.timeIntervalSince1970,
            responseTime: responseTime.timeIntervalSince1970,
            size: body.count
        )
        self.body = body
    }

    /// The response as it is delivered, with its `Age` (RFC 9111, section 4).
    ///
    /// Without validation, it lacks the fields that `no-cache` names (section 5.2.2.4).
    func response(at now: Date, isValidated: Bool) -> HTTPURLResponse? {
        var fields = head.fields
        if !isValidated, case .fields(let names) = cacheControl.scope("no-cache") { fields.remove(names) }
        fields["Age"] = String(Int(currentAge(at: now)))
        // What a loader delivers is longer than was announced if it removes the content's encoding.
        fields["Content-Length"] = String(body.count)
        guard let url = URL(string: head.redirectedTo ?? head.url) else { return nil }
        return HTTPURLResponse(
            url: url,
            statusCode: head.status,
            httpVersion: "HTTP/1.1",
            headerFields: fields.dictionary
        )
    }
}

extension CachedHTTPResponse: StoredAnswer {
    var status: Int { head.status }
    var fields: HeaderFields { head.fields }
    var requestTime: Double { head.requestTime }
    var responseTime: Double { head.responseTime }
    var isRedirected: Bool { head.redirectedTo != nil }
}

extension CachedHTTPResponse {
    private static let magic = Data("NHR1".utf8)

    /// One file: a mark, the length of the head in four bytes, the lowest first, the head as JSON, and the body.
    func encoded() throws -> Data {
        let json = try JSONEncoder().encode(head)
        var data = Self.magic
        data.reserveCapacity(8 + json.count + body.count)
        for shift in [0, 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: json.count >> shift)) }
        data.append(json)
        data.append(body)
        return data
    }

    /// Reads what ``encoded()`` wrote; nil if it is anything else, or not all of it.
    init?(_ data: Data) {
        let data = data.startIndex == 0 ? data : Data(data)
        guard data.count >= 8, data.prefix(4) == Self.magic else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(data[4 + $1]) << (8 * $1) }
        guard length <= data.count - 8,
            let head = try? JSONDecoder().decode(Head.self, from: data.subdata(in: 8..<8 + length)),
            head.size == data.count - 8 - length
        else { return nil }
        self.head = head
        body = data.subdata(in: 8 + length..<data.count)
    }
}
