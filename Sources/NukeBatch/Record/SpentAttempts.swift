import JobStorage
import Synchronization

/// The attempts just spent on unreachable hosts, which are refunded if the network turns out to be down.
final class SpentAttempts: Sendable {
    /// The time an attempt is kept: slightly longer than the period in which failures count as one outage.
    private static let kept: Duration = .seconds(15)

    private let items = Mutex<[(item: ClaimedItem, time: ContinuousClock.Instant)]>([])

    /// Adds an item whose attempt is recorded as spent.
    func add(_ item: ClaimedItem) {
        items.withLock { items in
            let now = ContinuousClock.now
            let start = items.firstIndex { $0.time.duration(to: now) <= Self.kept } ?? items.endIndex
            items.removeFirst(start)
            items.append((item, now))
        }
    }

    /// Returns and removes all of them.
    func take() -> [ClaimedItem] {
        items.withLock { items in
            defer { items = [] }
            return items.map(\.item)
        }
    }
}
