import JobStorage
import Synchronization

/// The pauses that hosts have asked for in this run, by the items that wait for their end.
final class ItemPauses: Sendable {
    private let counts = Mutex<[Int64: Int]>([:])

    /// Adds a pause, and returns the number of those of the item.
    func add(_ item: ClaimedItem) -> Int {
        counts.withLock { counts in
            counts[item.itemID, default: 0] += 1
            return counts[item.itemID, default: 0]
        }
    }

    /// Forgets the pauses of an item that has ended.
    func forget(_ item: ClaimedItem) {
        counts.withLock { $0[item.itemID] = nil }
    }
}
