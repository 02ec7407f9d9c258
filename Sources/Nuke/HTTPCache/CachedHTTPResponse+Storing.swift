import Foundation
import FoundationNetworking

/// The rules for storing a response (RFC 9111, section 3).
extension CachedHTTPResponse {
    /// True if a cache may store it as the answer to `request`.
    func isStorable(for request: URLRequest, _ configuration: HTTPCache.Configuration) -> Bool {
        guard !body.isEmpty, body.count <= configuration.entrySizeLimit, head.status >= 200,
            head.status != 206, head.status != 304, !head.selectors.keys.contains("*")
        else { return false }
        let directives = cacheControl
        let wanted = CacheControl(request.value(forHTTPHeaderField: "Cache-Control"))
        guard !wanted.contains("no-store") else { return false }
        let isUnderstood = Self.heuristicallyCacheable.contains(head.status)
        if directives.contains("must-understand") {
            // With it, `no-store` applies only to caches that do not know the status (section 5.2.2.3).
            guard isUnderstood else { return false }
        } else if directives.contains("no-store") {
            return false
        }
        if configuration.isShared, !isForAll(request, directives) { return false }
        return isUnderstood || directives.contains("public") || directives.contains("max-age")
            || head.fields["Expires"] != nil
            || (configuration.isShared ? directives.contains("s-maxage") : directives.contains("private"))
    }

    /// Without the fields that are for one user alone, if the cache is shared (section 5.2.2.7).
    func stored(_ configuration: HTTPCache.Configuration) -> CachedHTTPResponse {
        guard configuration.isShared, case .fields(let names) = cacheControl.scope("private") else {
            return self
        }
        var result = self
        result.head.fields.remove(names)
        return result
    }

    /// True if a shared cache may store it (sections 3, 3.5 and 5.2.2.7).
    private func isForAll(_ request: URLRequest, _ directives: CacheControl) -> Bool {
        if directives.scope("private") == .all { return false }
        guard request.value(forHTTPHeaderField: "Authorization") != nil else { return true }
        return ["must-revalidate", "public", "s-maxage"].contains(where: directives.contains)
    }
}
