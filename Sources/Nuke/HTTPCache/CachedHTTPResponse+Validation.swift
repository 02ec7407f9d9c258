import Foundation
import FoundationNetworking

/// The revalidation of a stored response (RFC 9111, section 4.3).
extension CachedHTTPResponse {
    /// Returns the conditional request, answered with 304 if the stored response is still valid (section 4.3.1).
    func conditional(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in conditions { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// True if a 304 confirms this response (section 4.3.4): after redirects, the same URL must have answered.
    func isConfirmed(by response: HTTPURLResponse) -> Bool {
        let answered = HTTPCacheKey.text(of: response.url)
        guard response.url == nil || answered == head.redirectedTo ?? head.url else { return false }
        return isConfirmed(by: HeaderFields(response))
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
}
