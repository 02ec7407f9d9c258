package import Foundation
package import FoundationNetworking

/// The permitted use of a stored answer.
package enum Reuse: Sendable, Hashable {
    /// The answer may be used.
    case use
    /// The answer may be used while a newer one is fetched (`stale-while-revalidate`, RFC 5861, section 3).
    case useAndRefresh
    /// The answer must be revalidated first.
    case validate
}

/// The reuse of a stored response for a request (RFC 9111, section 4, and RFC 5861).
extension StoredAnswer {
    /// Returns the permitted use for a request whose only condition is this `Cache-Control`; nil for a request without one.
    package func reuse(for request: URLRequest?, at now: Date, _ rules: FreshnessRules) -> Reuse {
        let wanted = CacheControl(request?.value(forHTTPHeaderField: "Cache-Control"))
        // A redirect itself is never seen here, so neither is how long it may be followed unasked.
        guard !isRedirected, !wanted.contains("no-cache"), cacheControl.scope("no-cache") != .all
        else { return .validate }
        let age = currentAge(at: now)
        let staleness = age - freshnessLifetime(rules)
        if let limit = wanted.seconds("max-age"), age > Double(limit) { return .validate }
        if let limit = wanted.seconds("min-fresh"), -staleness < Double(limit) { return .validate }
        if staleness < 0 { return .use }
        guard maySayStale(rules) else { return .validate }
        if wanted.accepts(staleness: staleness) { return .use }
        // A client that asks for freshness does not accept a stale response.
        guard !wanted.contains("max-age"), !wanted.contains("min-fresh") else { return .validate }
        let window = Double(cacheControl.seconds("stale-while-revalidate") ?? 0)
        return staleness < window ? .useAndRefresh : .validate
    }

    /// True if it may replace an error of the server or the network (RFC 5861, section 4).
    package func mayReplaceError(for request: URLRequest, at now: Date, _ rules: FreshnessRules) -> Bool {
        let wanted = CacheControl(request.value(forHTTPHeaderField: "Cache-Control"))
        guard !wanted.contains("no-cache"), request.cachePolicy != .reloadRevalidatingCacheData,
            cacheControl.scope("no-cache") != .all, maySayStale(rules)
        else { return false }
        let windows = [cacheControl.seconds("stale-if-error"), wanted.seconds("stale-if-error")]
        let window = windows.reduce(rules.staleIfError) { max($0, Double($1 ?? 0)) }
        return currentAge(at: now) - freshnessLifetime(rules) < window
    }

    /// True if the server allows it to be delivered stale at all (RFC 9111, section 4.2.4).
    private func maySayStale(_ rules: FreshnessRules) -> Bool {
        let directives = cacheControl
        if directives.contains("must-revalidate") { return false }
        guard rules.isShared else { return true }
        return !directives.contains("proxy-revalidate") && !directives.contains("s-maxage")
    }
}
