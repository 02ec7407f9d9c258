import JobStorage
import Synchronization

/// The attempts that items have just spent on hosts that did not answer: it may turn out that the network was gone.
final class SpentAttempts: Sendable {
    /// As long as the failures that make an outage may lie apart, and a little more.
    private static let kept: Duration = .seconds(15)

    private let items = Mutex<[(item: ClaimedItem, time: ContinuousClock.Instant)]>([])

    /// Keeps an item in mind whose attempt is recorded as spent.
    func add(_ item: ClaimedItem) {
        items.withLock { items in
            let now = ContinuousClock.now
            let start = items.firstIndex { $0.time.duration(to: now) <= Self.kept } ?? items.endIndex
            items.removeFirst(start)
            items.append((item, now))
        }
    }

    /// All of them, once.
    func take() -> [ClaimedItem] {
        items.withLock { items in
            defer { items = [] }
            return items.map(\.item)
        }
    }
}
