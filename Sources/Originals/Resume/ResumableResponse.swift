import Foundation
import Transport

/// The length and validators of a whole response, with which its rest can be requested (RFC 9110, sections 13 and 14).
struct ResumableResponse: Sendable, Hashable {
    /// The bytes of the whole.
    let total: Int
    /// Its entity tag, which is not weak.
    let etag: String?
    /// The `Last-Modified` of the whole.
    let lastModified: String?
    /// The validator that the rest must share: the entity tag, or else the date.
    let validator: String

    /// A whole of `total` bytes; nil without a validator.
    init?(total: Int, etag: String?, lastModified: String?) {
        guard let validator = etag ?? lastModified else { return nil }
        self.total = total
        self.etag = etag
        self.lastModified = lastModified
        self.validator = validator
    }

    /// Creates the value from `response`; nil unless the server accepts ranges, states the length and gives a validator.
    ///
    /// A weak entity tag is none (section 13.1.5), nor is a date less than a second before that of the response (section
    /// 8.8.2.2); and of encoded content the bytes at hand are not the bytes sent.
    init?(_ response: ReceivedResponse) {
        guard !response.isEncoded, let total = Self.total(of: response) else { return nil }
        self.init(
            total: total,
            etag: Self.strongETag(of: response),
            lastModified: Self.strongDate(of: response)
        )
    }

    /// Returns true if `response` is the complete rest of this whole after `count` bytes, and no field contradicts that.
    func isContinued(by response: ReceivedResponse, behind count: Int) -> Bool {
        guard response.statusCode == 206, !response.isEncoded, let range = ContentRange(response),
            range.first == count, range.total ?? total == total
        else { return false }
        // Nothing is added to a number of the server: it may be the largest there is.
        let length = response.expectedContentLength
        guard length >= 0 ? Int(length) == total - count : range.last == total - 1 else { return false }
        return mayBelong(response)
    }

    /// Returns false if a response has another entity tag or modification date than the whole.
    func mayBelong(_ response: ReceivedResponse) -> Bool {
        // Of dates any will do here: that it is another one says enough.
        let (newTag, newDate) = (response.field("ETag"), response.field("Last-Modified"))
        return (etag == nil || newTag == nil || etag == newTag)
            && (lastModified == nil || newDate == nil || lastModified == newDate)
    }

    private static func total(of response: ReceivedResponse) -> Int? {
        switch response.statusCode {
        case 200:
            guard response.field("Accept-Ranges")?.lowercased() == "bytes" else { return nil }
            let length = response.expectedContentLength
            return length > 0 ? Int(length) : nil
        case 206: return ContentRange(response)?.total
        default: return nil
        }
    }

    private static func strongETag(of response: ReceivedResponse) -> String? {
        guard let etag = response.field("ETag"), !etag.isEmpty, etag != "\"\"",
            !etag.hasPrefix("W/")
        else { return nil }
        return etag
    }

    private static func strongDate(of response: ReceivedResponse) -> String? {
        guard let text = response.field("Last-Modified"), !text.isEmpty else { return nil }
        if let date = response.field("Date").flatMap({ HTTPDate.date($0) }),
            let modified = HTTPDate.date(text), date.timeIntervalSince(modified) < 1
        {
            return nil
        }
        return text
    }
}

extension ReceivedResponse {
    /// True for an answer of a part (206) that is not the whole, or does not say that it is (RFC 9110, section 15.3.7).
    var isPart: Bool {
        guard statusCode == 206 else { return false }
        guard let range = ContentRange(self), range.first == 0, let last = range.last, let total = range.total
        else { return true }
        return last != total - 1
    }
}

/// The value of `Content-Range`, as `bytes 100-999/1000`.
private struct ContentRange {
    let first: Int
    /// The last byte and the length of the whole; nil where they are not told or cannot be.
    let last: Int?
    let total: Int?

    init?(_ response: ReceivedResponse) {
        guard let value = response.field("Content-Range"),
            value.lowercased().hasPrefix("bytes ")
        else { return nil }
        let numbers = value.dropFirst("bytes ".count).split(omittingEmptySubsequences: false) {
            $0 == "-" || $0 == "/"
        }.map { Int($0) }
        guard numbers.count == 3, let first = numbers[0], first >= 0 else { return nil }
        self.first = first
        guard let last = numbers[1], last >= first, numbers[2] ?? .max > last else {
            (self.last, total) = (nil, nil)
            return
        }
        (self.last, total) = (last, numbers[2])
    }
}
