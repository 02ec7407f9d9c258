package import Foundation
import Transport

/// The freshness lifetime and the age of a response, both in seconds (RFC 9111, section 4.2).
extension StoredAnswer {
    /// Statuses whose responses may be kept without a word about it (RFC 9110, section 15.1).
    package static var heuristicallyCacheable: Set<Int> {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    }

    /// The time at which the response was made, or else at which it arrived (RFC 9110, section 6.6.1).
    private var date: Date {
        let received = Date(timeIntervalSince1970: responseTime)
        return fields["Date"].flatMap { HTTPDate.date($0, now: received) } ?? received
    }

    /// The freshness lifetime from ``date`` on (section 4.2.1): by `s-maxage`, if the cache is shared,
    /// `max-age` or `Expires`, or guessed from `Last-Modified`.
    package func freshnessLifetime(_ rules: FreshnessRules) -> Double {
        let directives = cacheControl
        if rules.isShared, let seconds = directives.seconds("s-maxage") { return Double(seconds) }
        if let seconds = directives.seconds("max-age") { return Double(seconds) }
        if let expires = fields["Expires"] {
            let received = Date(timeIntervalSince1970: responseTime)
            // What is no date, as the common `0`, is in the past (section 5.3).
            guard let end = HTTPDate.date(expires, now: received) else { return 0 }
            return max(0, end.timeIntervalSince(date))
        }
        guard Self.heuristicallyCacheable.contains(status) || directives.contains("public"),
            let modified = fields["Last-Modified"].flatMap({ HTTPDate.date($0, now: date) })
        else { return 0 }
        let guess = date.timeIntervalSince(modified) * rules.heuristicFraction
        return min(max(0, guess), rules.longestHeuristicLifetime)
    }

    /// The age (section 4.2.3).
    package func currentAge(at now: Date) -> Double {
        let apparent = max(0, responseTime - date.timeIntervalSince1970)
        let delay = max(0, responseTime - requestTime)
        // A clock that was set back makes nothing younger.
        let resident = max(0, now.timeIntervalSince1970 - responseTime)
        return max(apparent, Double(ageValue) + delay) + resident
    }

    /// The value of `Age`: of a list the first, and 0 if it is no number (section 5.1).
    private var ageValue: Int {
        let first = (fields["Age"] ?? "").prefix { $0 != "," }.trimmingCharacters(in: .whitespaces)
        return CacheControl.deltaSeconds(first) ?? 0
    }
}
