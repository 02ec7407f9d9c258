import Originals
import Synchronization

/// Counts hits and misses of the caches between this machine and the origins.
final class EdgeStatistics: Sendable {
    private let counts = Mutex(EdgeCounts())

    /// The counts so far.
    var total: EdgeCounts { counts.withLock { $0 } }

    /// Counts a transfer that has ended.
    func add(_ transfer: TransferRecord) {
        guard let edge = transfer.edge else { return }
        counts.withLock { counts in
            if edge == .hit { counts.hits += 1 } else { counts.misses += 1 }
        }
    }
}

/// Hits and misses of the edge, the nearest cache; responses that do not report either are not counted.
public struct EdgeCounts: Sendable, Hashable {
    /// Responses from the edge's cache.
    public var hits = 0
    /// Responses that the edge fetched from farther on.
    public var misses = 0
}
