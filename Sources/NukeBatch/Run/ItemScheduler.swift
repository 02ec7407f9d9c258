import JobPlanning
import JobStorage

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
        hosts = PerHostLimit(
            perHost: 2 * context.manifest.loading.perHost + 64,
            total: Self.itemsInFlight
        )
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
