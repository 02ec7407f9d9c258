import Nuke
import Synchronization
import Transport

/// Counts how often caches between here and the origins had what was asked for.
final class EdgeTally: Sendable {
    private let counts = Mutex(EdgeCounts())

    /// How often so far.
    var total: EdgeCounts {
        counts.withLock { $0 }
    }

    /// Takes a transfer that has ended.
    func add(_ transfer: TransferRecord) {
        guard let head = transfer.head, (200..<300).contains(head.status),
            let isHit = EdgeCounts.isHit(head.headers)
        else { return }
        counts.withLock { counts in
            if isHit { counts.hits += 1 } else { counts.misses += 1 }
        }
    }
}

/// How often the edge, the cache nearest to here, had what was asked for; answers that do not say are not counted.
public struct EdgeCounts: Sendable, Hashable {
    /// Answers from the edge's cache.
    public var hits = 0
    /// Answers for which it asked farther on.
    public var misses = 0

    /// What an answer says of its way: `CF-Cache-Status` (Cloudflare), `X-Cache` (Fastly, CloudFront, Akamai, Varnish and
    /// Squid; of several words the nearest cache's is the last), or a positive `Age` (RFC 9111, section 5.1).
    /// - Returns: Nil if it says nothing.
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
