import Foundation
import FoundationNetworking

extension URLRequest {
    /// The request for the whole, if this one asks for the rest of a download (``ResumableData/resume(request:)``); else nil.
    var forWhole: URLRequest? {
        guard value(forHTTPHeaderField: "Range") != nil, value(forHTTPHeaderField: "If-Range") != nil else {
            return nil
        }
        var whole = self
        for field in ["Range", "If-Range"] { whole.setValue(nil, forHTTPHeaderField: field) }
        return whole
    }
}
