public import Foundation
public import FoundationNetworking

/// The first part of a body, kept so that a later request fetches only the rest (RFC 9110, section 14).
public struct ResumableData: Sendable {
    /// The bytes from the beginning on.
    public let data: Data
    /// The strong entity tag or the modification date that the rest must have.
    public let validator: String

    /// What can be kept of a response that broke off.
    ///
    /// It is nil unless the server takes ranges, says how long the whole is and gives a validator; a weak
    /// entity tag is none, and of encoded content the bytes at hand are not the bytes sent.
    /// - Parameters:
    ///   - response: The response, of status 200 or 206.
    ///   - data: All bytes from the beginning, those of earlier responses included.
    public init?(response: URLResponse, data: Data) {
        guard !data.isEmpty, let response = response as? HTTPURLResponse,
            let total = Self.totalBytes(of: response), data.count < total,
            Self.isIdentity(response), let validator = Self.validator(of: response)
        else { return nil }
        self.data = data
        self.validator = validator
    }

    /// Asks for the rest instead of the whole.
    public func resume(request: inout URLRequest) {
        request.setValue("bytes=\(data.count)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
    }

    /// Whether the response is a part (206): the server took up the request for the rest.
    public static func isResumedResponse(_ response: URLResponse) -> Bool {
        (response as? HTTPURLResponse)?.statusCode == 206
    }

    /// Whether the body of a part goes on exactly where ``data`` ends, and belongs to the same whole.
    ///
    /// If not, the server lies, and the download must start afresh without this.
    public func isContinued(by response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse, response.statusCode == 206,
            let range = ContentRange(response), range.first == data.count, Self.isIdentity(response)
        else { return false }
        guard let etag = response.value(forHTTPHeaderField: "ETag"), validator.hasPrefix("\"") else {
            return true
        }
        return etag == validator
    }

    private static func totalBytes(of response: HTTPURLResponse) -> Int? {
        switch response.statusCode {
        case 200:
            guard response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() == "bytes" else {
                return nil
            }
            let length = response.expectedContentLength
            return length > 0 ? Int(length) : nil
        case 206:
            return ContentRange(response)?.total
        default:
            return nil
        }
    }

    private static func isIdentity(_ response: HTTPURLResponse) -> Bool {
        let encoding = response.value(forHTTPHeaderField: "Content-Encoding") ?? ""
        return encoding.isEmpty || encoding.lowercased() == "identity"
    }

    private static func validator(of response: HTTPURLResponse) -> String? {
        if let etag = response.value(forHTTPHeaderField: "ETag"), etag.hasPrefix("\""), etag.count > 2 {
            return etag
        }
        let date = response.value(forHTTPHeaderField: "Last-Modified") ?? ""
        return date.isEmpty ? nil : date
    }
}

/// The value of `Content-Range`, as `bytes 100-999/1000`.
private struct ContentRange {
    let first: Int
    let total: Int

    init?(_ response: HTTPURLResponse) {
        guard let value = response.value(forHTTPHeaderField: "Content-Range"),
            value.lowercased().hasPrefix("bytes ")
        else { return nil }
        let numbers = value.dropFirst("bytes ".count).split { $0 == "-" || $0 == "/" }.map { Int($0) }
        guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let total = numbers[2],
            first >= 0, last >= first, total > last
        else { return nil }
        self.first = first
        self.total = total
    }
}
