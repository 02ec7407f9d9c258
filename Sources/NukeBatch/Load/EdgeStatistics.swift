import Originals
import Synchronization
import Transport

/// Counts hits and misses of the caches between this machine and the origins.
final class EdgeStatistics: Sendable {
    private let counts = Mutex(EdgeCounts())

    /// The counts so far.
    var total: EdgeCounts {
        counts.withLock { $0 }
    }

    /// Counts a transfer that has ended.
    func add(_ transfer: TransferRecord) {
        guard let isHit = transfer.isEdgeHit else { return }
        counts.withLock { counts in
            if isHit { counts.hits += 1 } else { counts.misses += 1 }
        }
    }
}

/// Hits and misses of the edge, the nearest cache; responses that do not report either are not counted.
public struct EdgeCounts: Sendable, Hashable {
    /// Responses from the edge's cache.
    public var hits = 0
    /// Responses that the edge fetched from farther on.
    public var misses = 0

    /// Returns true if a response came from the edge's cache.
    ///
    /// The headers are `CF-Cache-Status` (Cloudflare), `X-Cache` (Fastly, CloudFront, Akamai, Varnish and Squid; the
    /// last value is the nearest cache's), or a positive `Age` (RFC 9111, section 5.1).
    /// - Returns: Nil if the headers do not say.
    static func isHit(_ headers: [TransferRequest.Header]) -> Bool? {
        let value = { (name: String) in
            headers.last { $0.name.lowercased() == name }?.value.lowercased()
        }
        if let status = value("cf-cache-status") {
            return ["hit", "stale", "updating", "revalidated"].contains(status)
        }
        if let cache = value("x-cache")?.split(separator: ",").last {
            return cache.contains("hit")
        }
        return value("age").flatMap { Int($0) }.map { $0 > 0 }
    }
}

extension TransferRecord {
    /// True if its response came from the edge's cache; nil for a failure, and for a response that does not say.
    var isEdgeHit: Bool? {
        guard let head, head.isSuccess else { return nil }
        return EdgeCounts.isHit(head.headers)
    }
}
