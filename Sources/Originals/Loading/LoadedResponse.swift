import Foundation
package import FoundationNetworking
import Transport

/// A response of a loader of this module, with fast access to its fields: Foundation searches through all of them.
// Unchecked because a subclass of HTTPURLResponse must say so: that one may be used from any thread, and what is added
// to it never changes.
final class LoadedResponse: HTTPURLResponse, @unchecked Sendable {
    /// By their canonical names.
    let fields: [String: String]

    override init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
        fields = headerFields ?? [:]
        super.init(url: url, statusCode: statusCode, httpVersion: httpVersion, headerFields: headerFields)
    }

    required init?(coder: NSCoder) {
        fields = [:]
        super.init(coder: coder)
    }
}

extension HTTPURLResponse {
    /// Returns the value of a header field; the case of its name does not matter.
    package func field(_ name: String) -> String? {
        guard let loaded = self as? LoadedResponse else { return value(forHTTPHeaderField: name) }
        return loaded.fields[ResponseHead.canonicalName(name)]
    }
}
