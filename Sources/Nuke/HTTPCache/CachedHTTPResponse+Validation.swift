import Foundation
import FoundationNetworking

/// The revalidation of a stored response (RFC 9111, section 4.3).
extension CachedHTTPResponse {
    /// True if it has a validator.
    var hasValidator: Bool {
        head.fields["ETag"] != nil || head.fields["Last-Modified"] != nil
    }

    /// Returns the conditional request, answered with 304 if the stored response is still valid (section 4.3.1).
    func conditional(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setValue(head.fields["ETag"], forHTTPHeaderField: "If-None-Match")
        request.setValue(head.fields["Last-Modified"], forHTTPHeaderField: "If-Modified-Since")
        return request
    }

    /// True if a 304 confirms this response (section 4.3.4).
    ///
    /// Its validators, where it has any, must be those stored; weak tags compare as weak ones (RFC 9110, section
    /// 8.8.3.2). After redirects the same URL must have answered.
    func isConfirmed(by response: HTTPURLResponse) -> Bool {
        let answered = HTTPCacheKey.text(of: response.url)
        guard response.url == nil || answered == head.redirectedTo ?? head.url else { return false }
        let fields = HeaderFields(response)
        if let tag = fields["ETag"] {
            return head.fields["ETag"].map { Self.isSame($0, tag) } ?? false
        }
        guard let date = fields["Last-Modified"] else { return true }
        return date == head.fields["Last-Modified"]
    }

    /// Returns the stored response with the fields and the age of the 304 (sections 3.2 and 4.3.4).
    func freshened(by response: HTTPURLResponse, requestTime: Date, responseTime: Date) -> CachedHTTPResponse
    {
        var update = HeaderFields(response)
        update.removeConnectionFields()
        // What describes the stored body stays.
        update.remove(["Content-Length", "Content-Encoding", "Content-Range"])
        var result = self
        // The new age and date are those of the 304, even if it has none.
        result.head.fields.remove(["Age", "Date"])
        result.head.fields.merge(update)
        result.head.requestTime = requestTime.timeIntervalSince1970
        result.head.responseTime = responseTime.timeIntervalSince1970
        return result
    }

    /// True if two entity tags match by weak comparison (RFC 9110, section 8.8.3.2).
    static func isSame(_ first: String, _ second: String) -> Bool {
        opaque(first) == opaque(second)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
