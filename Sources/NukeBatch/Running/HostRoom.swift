import JobStorage
import Synchronization

/// How many more items each host may have in flight, so that slow ones cannot take all places.
///
/// An item is at its host until its original is there; what comes after that is no matter of the host. May be used from
/// any thread.
final class HostRoom: Sendable {
    private struct State {
        var inFlight = 0
        /// The items that are at a host, and how many each host has.
        var waiting: Set<Int64> = []
        var counts: [Int64: Int] = [:]
    }

    private let perHost: Int
    private let total: Int
    private let state = Mutex(State())

    /// Room for `total` items, of which `perHost` may be at one host, and several no more than an equal share.
    init(perHost: Int, total: Int) {
        self.perHost = perHost
        self.total = total
    }

    /// The items that are in flight, at a host or not.
    var inFlight: Int { state.withLock { $0.inFlight } }

    /// What a host may have: half of the places stay free for hosts that have none yet.
    var share: Int { state.withLock { share($0) } }

    /// What hosts with items may have more; other hosts may have a whole share.
    var left: [Int64: Int] {
        state.withLock { state in
            let share = share(state)
            return state.counts.mapValues { max(0, share - $0) }
        }
    }

    /// An item begins its life, at its host.
    func add(_ item: ClaimedItem) {
        state.withLock { state in
            state.inFlight += 1
            state.waiting.insert(item.itemID)
            state.counts[item.hostID, default: 0] += 1
        }
    }

    /// The original of an item is there.
    func leaveHost(_ item: ClaimedItem) {
        state.withLock { leaveHost(item, &$0) }
    }

    /// An item has ended, wherever it was.
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
