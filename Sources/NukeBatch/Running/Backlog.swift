import Foundation
import Nuke
import Synchronization

/// Keeps loading from running away from what follows: the originals that wait for a processor are counted, those that the
/// cache does not have durably yet, and the bytes of all that are in memory, with those of their outputs that wait for the
/// disk.
///
/// Transfers are held back by suspending the loading queue, in which a transfer that runs goes on; reads of originals
/// that are at hand already wait here, before they take memory.
final class Backlog: Sendable {
    /// The room of one original, given back when nobody holds it any more.
    ///
    /// May be used from any thread.
    final class Place: Sendable {
        private let backlog: Backlog
        private let state: Mutex<(bytes: Int, isWaiting: Bool)>

        fileprivate init(_ bytes: Int, in backlog: Backlog) {
            self.backlog = backlog
            state = Mutex((bytes, true))
        }

        deinit {
            let (bytes, isWaiting) = state.withLock { $0 }
            backlog.change(bytes: -bytes, count: isWaiting ? -1 : 0)
        }

        /// The original has had its processor, and so many bytes of outputs are to be written.
        func process(into bytes: Int) {
            let wasWaiting = state.withLock { state in
                defer { state = (state.bytes + bytes, false) }
                return state.isWaiting
            }
            backlog.change(bytes: bytes, count: wasWaiting ? -1 : 0)
        }
    }

    private struct State {
        var bytes = 0
        var count = 0
        var unstored = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let queue: OperationQueue
    private let maxBytes: Int
    private let maxCount: Int
    private let maxUnstored: Int

    /// Suspends `queue` while more than `maxBytes` bytes are held, `maxCount` originals wait for a processor, or
    /// `maxUnstored` for the disk: those a kill would have loaded again.
    init(queue: OperationQueue, maxBytes: Int, maxCount: Int, maxUnstored: Int) {
        self.queue = queue
        self.maxBytes = maxBytes
        self.maxCount = maxCount
        self.maxUnstored = maxUnstored
    }

    /// Whether an original that is at hand may be read without a wait.
    var hasRoom: Bool {
        state.withLock { $0.waiters.isEmpty && !isFull($0) }
    }

    /// Waits until an original that is at hand may be read.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.waiters.isEmpty, !isFull(state) { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// The place of an original of `bytes` bytes that was loaded.
    func enter(_ bytes: Int) -> Place {
        change(bytes: bytes, count: 1)
        return Place(bytes, in: self)
    }

    /// An original that was loaded is on its way into `cache` under `key`.
    func store(_ key: String, in cache: DataCache) {
        change(unstored: 1)
        cache.whenSettled(key) { self.change(unstored: -1) }
    }

    private func change(bytes: Int = 0, count: Int = 0, unstored: Int = 0) {
        let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            let wasHeld = holdsTransfers(state)
            state.bytes += bytes
            state.count += count
            state.unstored += unstored
            let isHeld = holdsTransfers(state)
            if isHeld != wasHeld { queue.isSuspended = isHeld }
            guard unstored == 0, !isFull(state) else { return [] }
            // One reader an original that left: all at once would overfill it again.
            let count = min(state.waiters.count, max(1, maxCount - state.count))
            defer { state.waiters.removeFirst(count) }
            return Array(state.waiters.prefix(count))
        }
        for continuation in released { continuation.resume() }
    }

    private func holdsTransfers(_ state: borrowing State) -> Bool {
        isFull(state) || state.unstored >= maxUnstored
    }

    private func isFull(_ state: borrowing State) -> Bool {
        state.bytes >= maxBytes || state.count >= maxCount
    }
}
