import JobPlanning
import JobStorage
import Synchronization

/// Keeps items in flight: claims them from the state by host until none is left.
struct ItemScheduler: Sendable {
    /// The most items in flight; an item that waits for its host holds only a task.
    private static let itemsInFlight = 512
    /// The items claimed in one transaction.
    ///
    /// As many must end before more are claimed, fewer if the hosts' limits are small.
    private static let claimSize = 64

    /// The items in flight at each host.
    let hosts: PerHostLimit
    private let store: JobStore
    private let control: RunControl
    /// The most items that the run claims.
    private let limit: Int

    /// The scheduler of one run.
    init(_ context: RunContext) {
        store = context.store
        control = context.control
        limit = context.options.limit ?? .max
        hosts = PerHostLimit(perHost: 2 * context.manifest.loading.perHost + 64, total: Self.itemsInFlight)
    }

    /// The counters of one run's loop.
    private struct Progress {
        var claimed = 0
        /// Items that have ended since the last claim.
        var ended = ItemScheduler.claimSize
        var isTimerSet = false
    }

    /// Claims items and executes each in a task, until none is left to claim and all have ended.
    func run(_ execute: @escaping @Sendable (ClaimedItem) async -> Void) async {
        let timer = RunTimer()
        control.onStop { timer.ring() }
        await withTaskGroup(of: ClaimedItem?.self) { group in
            var progress = Progress()
            repeat {
                guard progress.ended >= min(Self.claimSize, hosts.share / 4) || hosts.inFlight == 0 else {
                    continue
                }
                progress.ended = 0
                if progress.claimed >= limit { control.stopClaiming(.workLeft) }
                var isShort = false
                // A few at a time, since each host's share depends on the number of hosts.
                while !isShort, case let room = room(progress.claimed), room > 0 {
                    let items = await claim(room)
                    isShort = items.count < room
                    progress.claimed += items.count
                    for item in items {
                        hosts.add(item)
                        group.addTask {
                            await execute(item)
                            return item
                        }
                    }
                }
                if !progress.isTimerSet, isShort, let delay = await delay() {
                    progress.isTimerSet = true
                    group.addTask {
                        await timer.wait(milliseconds: delay)
                        return nil
                    }
                }
            } while await next(in: &group, &progress)
        }
    }

    /// The number of items to claim next.
    private func room(_ claimed: Int) -> Int {
        min(Self.itemsInFlight - hosts.inFlight, limit - claimed, Self.claimSize)
    }

    /// Waits for the end of an item or of the timer; false if nothing is in flight.
    private func next(in group: inout TaskGroup<ClaimedItem?>, _ progress: inout Progress) async -> Bool {
        guard let finished = await group.next() else { return false }
        if let item = finished {
            hosts.remove(item)
            progress.ended += 1
        } else {
            progress.isTimerSet = false
            progress.ended = Self.claimSize
        }
        return true
    }

    private func claim(_ room: Int) async -> [ClaimedItem] {
        guard room > 0, !control.isStopping else { return [] }
        do {
            return try await store.claim(limit: room, perHost: hosts.share, room: hosts.left)
        } catch {
            control.stop(.machine, trouble: "\(error)")
            return []
        }
    }

    /// The milliseconds until a waiting item is due, at most a second; nil if none waits.
    private func delay() async -> Int64? {
        guard !control.isStopping else { return nil }
        do {
            guard let time = try await store.timeUntilReady() else { return nil }
            // One that became due after the claim waits for nothing that is in flight if nothing is.
            return time > 0 ? min(time, 1000) : hosts.inFlight == 0 ? 1 : nil
        } catch {
            control.stop(.machine, trouble: "\(error)")
            return nil
        }
    }
}

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
