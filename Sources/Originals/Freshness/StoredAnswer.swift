package import Foundation

/// An answer that was stored, as far as it decides how long its bytes may be used and what confirms them (RFC 9111).
package protocol StoredAnswer {
    var status: Int { get }
    var fields: HeaderFields { get }
    /// The time of the request, in seconds since 1970.
    var requestTime: Double { get }
    /// The time at which the answer began to arrive, in seconds since 1970.
    var responseTime: Double { get }
    /// True if redirects led to it.
    var isRedirected: Bool { get }
}

/// The rules of freshness that a cache chooses.
package struct FreshnessRules: Sendable, Hashable {
    /// True if the cache serves more than one user.
    package var isShared = false
    /// The heuristic freshness of an answer that states none, as a part of the time since its `Last-Modified`; the tenth that
    /// RFC 9111, section 4.2.2, names as usual.
    package var heuristicFraction = 0.1
    /// The longest heuristic freshness, in seconds; a day by default.
    package var longestHeuristicLifetime: TimeInterval = 86400
    /// The seconds that any stale answer may replace an error.
    package var staleIfError: TimeInterval = 0

    /// Creates the rules of a private cache.
    package init() {}
}

extension StoredAnswer {
    /// Its `Cache-Control`.
    package var cacheControl: CacheControl { CacheControl(fields["Cache-Control"]) }

    /// The fields that ask the origin for the bytes only if they are no longer these (RFC 9111, section 4.3.1); none without a
    /// validator.
    package var conditions: [String: String] {
        var conditions: [String: String] = [:]
        conditions["If-None-Match"] = fields["ETag"]
        conditions["If-Modified-Since"] = fields["Last-Modified"]
        return conditions
    }

    /// True if a 304 with the fields of `answer` confirms these bytes (section 4.3.4).
    ///
    /// Its validators, where it has any, must be those stored; weak tags compare as weak ones (RFC 9110, section 8.8.3.2).
    package func isConfirmed(by answer: HeaderFields) -> Bool {
        if let tag = answer["ETag"] {
            return fields["ETag"].map { Self.opaque($0) == Self.opaque(tag) } ?? false
        }
        guard let date = answer["Last-Modified"] else { return true }
        return date == fields["Last-Modified"]
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}
