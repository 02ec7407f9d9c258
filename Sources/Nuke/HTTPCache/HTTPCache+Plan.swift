import Files
import Foundation
import FoundationNetworking

enum HTTPCachePlan: Sendable {
    /// Load without storing or revalidating; a stored response may replace an error.
    case bypass(fallback: CachedHTTPResponse?)
    /// Load, and store the response if that is allowed.
    case load
    /// Deliver the stored response; if `refresh` is true, refresh it in the background.
    case serve(CachedHTTPResponse, refresh: Bool)
    /// Revalidate the stored response.
    case validate(CachedHTTPResponse)
    /// Load nothing.
    case refuse(HTTPCacheError)

    /// True if nothing is sent, whichever fields the request has.
    var isFinal: Bool {
        switch self {
        case .serve(let entry, let refresh): !refresh && entry.head.selectors.isEmpty
        case .refuse: true
        case .bypass, .load, .validate: false
        }
    }
}

extension HTTPCache {
    /// Methods that change nothing (RFC 9110, section 9.2.1).
    static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]
    /// Fields that ask for a part, or already compare with something that the cache does not know.
    private static let conditions = [
        "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
    ]

    func plan(for request: URLRequest, isOffline: Bool) async -> HTTPCachePlan {
        let url = request.url
        let isCacheable =
            (request.httpMethod ?? "GET") == "GET" && ["http", "https"].contains(url?.scheme?.lowercased())
            && !Self.conditions.contains { request.value(forHTTPHeaderField: $0) != nil }
        let directives = CacheControl(request.value(forHTTPHeaderField: "Cache-Control"))
        let isForbidden =
            request.cachePolicy == .returnCacheDataDontLoad || directives.contains("only-if-cached")
        guard isCacheable else {
            if let whole = request.forWhole { return await plan(forRestOf: whole, isOffline: isOffline) }
            return isOffline
                ? .refuse(.offline(url)) : isForbidden ? .refuse(.notCached(url)) : .bypass(fallback: nil)
        }
        if !isOffline, request.cachePolicy.isReloading { return .load }
        guard let entry = try? await reads.run({ [self] in entry(for: request) }) else {
            return isOffline ? .refuse(.offline(url)) : isForbidden ? .refuse(.notCached(url)) : .load
        }
        switch request.cachePolicy {
        case _ where isOffline: return .serve(entry, refresh: false)
        case .returnCacheDataDontLoad, .returnCacheDataElseLoad: return .serve(entry, refresh: false)
        case .reloadRevalidatingCacheData: return .validate(entry)
        default: break
        }
        switch entry.reuse(for: request, at: now(), configuration.rules) {
        case .use: return .serve(entry, refresh: false)
        case .useAndRefresh: return .serve(entry, refresh: !isForbidden)
        case .validate: return isForbidden ? .refuse(.notCached(url)) : .validate(entry)
        }
    }

    /// Returns the decision about the rest of what `whole` asks for.
    ///
    /// A stored response that needs no network is as good as the rest: the whole is an answer to any range.
    private func plan(forRestOf whole: URLRequest, isOffline: Bool) async -> HTTPCachePlan {
        switch await plan(for: whole, isOffline: isOffline) {
        case .serve(let entry, _): .serve(entry, refresh: false)
        case .validate(let entry): .bypass(fallback: entry)
        case .load: .bypass(fallback: nil)
        case let plan: plan
        }
    }

    /// Stores the response of a finished exchange; nil for a body that cannot be stored.
    ///
    /// If it may not be stored, an older response is removed as well, since the server has another now.
    func store(_ entry: CachedHTTPResponse?, for request: URLRequest) async {
        if let entry, entry.isStorable(for: request, configuration) {
            await store(entry.stored(configuration))
        } else if let key = HTTPCacheKey.primary(request.url) {
            _ = try? await changes.run { [self] in
                if storage.containsData(for: key) { remove(request.url) }
            }
        }
    }

    /// Stores a response freshened by a 304, or removes it if the 304 forbids storing.
    func update(_ entry: CachedHTTPResponse, for request: URLRequest) async {
        let wanted = CacheControl(request.value(forHTTPHeaderField: "Cache-Control"))
        guard !wanted.contains("no-store") else { return }
        var entry = entry
        // The 304 may name other fields in its `Vary` than the response had.
        entry.head.selectors = HTTPCacheKey.selectors(of: request, by: entry.head.fields)
        await store(entry, for: request)
    }

    /// Removes the responses that a successful change invalidates: the URL itself, and those of the same origin that the
    /// answer names (RFC 9111, section 4.4).
    func invalidate(after request: URLRequest, _ response: HTTPURLResponse?) async {
        guard !Self.safeMethods.contains(request.httpMethod ?? "GET"), let url = request.url else { return }
        if let response, !(200..<400).contains(response.statusCode) { return }
        let named = ["Location", "Content-Location"].compactMap { name in
            response?.field(name).flatMap {
                URL(string: $0, relativeTo: url)?.absoluteURL
            }
        }
        let urls = [url] + named.filter { Redirect.isSameOrigin($0, url) }
        _ = try? await changes.run { [self] in urls.forEach(remove) }
    }
}
