import JobStorage
import Synchronization

/// A limit on the items in flight at each host, so that slow hosts cannot take all slots.
///
/// An item counts at its host until its original is loaded; later stages do not involve the host. May be used from any
/// thread.
final class PerHostLimit: Sendable {
    private struct State {
        var inFlight = 0
        /// The items whose originals are being loaded, and their number by host.
        var waiting: Set<Int64> = []
        var counts: [Int64: Int] = [:]
    }

    private let perHost: Int
    private let total: Int
    private let state = Mutex(State())

    /// Allows `total` items, of which at most `perHost` are at one host; several hosts get at most an equal share each.
    init(perHost: Int, total: Int) {
        self.perHost = perHost
        self.total = total
    }

    /// The items in flight, at a host or in later stages.
    var inFlight: Int { state.withLock { $0.inFlight } }

    /// The most items of one host; half of the slots stay free for hosts that have none yet.
    var share: Int { state.withLock { share($0) } }

    /// The items that each host with items in flight may add; other hosts may have a whole share.
    var left: [Int64: Int] {
        state.withLock { state in
            let share = share(state)
            return state.counts.mapValues { max(0, share - $0) }
        }
    }

    /// Counts an item in flight at its host.
    func add(_ item: ClaimedItem) {
        state.withLock { state in
            state.inFlight += 1
            state.waiting.insert(item.itemID)
            state.counts[item.hostID, default: 0] += 1
        }
    }

    /// Records that the original of an item was loaded.
    func leaveHost(_ item: ClaimedItem) {
        state.withLock { leaveHost(item, &$0) }
    }

    /// Removes an item that has ended, at any stage.
    func remove(_ item: ClaimedItem) {
        state.withLock { state in
            state.inFlight -= 1
            leaveHost(item, &state)
        }
    }

    private func leaveHost(_ item: ClaimedItem, _ state: inout State) {
        guard state.waiting.remove(item.itemID) != nil else { return }
        state.counts[item.hostID, default: 1] -= 1
        if state.counts[item.hostID] == 0 { state.counts[item.hostID] = nil }
    }

    private func share(_ state: borrowing State) -> Int {
        min(perHost, max(1, total / (2 * max(state.counts.count, 1))))
    }
}
