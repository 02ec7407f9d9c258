package import Transport

/// The source of a response by what it says itself: the cache of the edge, the nearest cache, or the origin behind it.
package enum EdgeAnswer: String, Sendable {
    /// The edge's cache had it.
    case hit
    /// The edge fetched it from farther on.
    case miss

    /// Reads the header fields of a response; nil if they do not say.
    ///
    /// The fields are `CF-Cache-Status` (Cloudflare), `X-Cache` (Fastly, CloudFront, Akamai, Varnish and Squid; the
    /// last value is the nearest cache's), or a positive `Age` (RFC 9111, section 5.1).
    package init?(_ headers: [TransferRequest.Header]) {
        let value = { (name: String) in
            headers.last { $0.isNamed(name) }?.value.lowercased()
        }
        let isHit: Bool? =
            if let status = value("cf-cache-status") {
                ["hit", "stale", "updating", "revalidated"].contains(status)
            } else if let cache = value("x-cache")?.split(separator: ",").last {
                cache.contains("hit")
            } else {
                value("age").flatMap { Int($0) }.map { $0 > 0 }
            }
        guard let isHit else { return nil }
        self = isHit ? .hit : .miss
    }
}

extension TransferRecord {
    /// The source of its response; nil for a failure, and for a response that does not say.
    package var edge: EdgeAnswer? {
        guard let head, head.isSuccess else { return nil }
        return EdgeAnswer(head.headers)
    }
}
