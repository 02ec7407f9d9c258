import Foundation
import Synchronization

/// Keeps loading from running away from processing: originals that are loaded and not yet processed are in memory.
///
/// Transfers are held back by suspending the loading queue, in which a transfer that runs goes on; reads of originals
/// that are at hand already wait here, before they take memory.
final class Backlog: Sendable {
    private struct State {
        var bytes = 0
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let queue: OperationQueue
    private let maxBytes: Int
    private let maxCount: Int

    /// Suspends `queue` while more than `maxBytes` bytes or `maxCount` originals wait.
    init(queue: OperationQueue, maxBytes: Int, maxCount: Int) {
        self.queue = queue
        self.maxBytes = maxBytes
        self.maxCount = maxCount
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

    /// Counts an original of `bytes` bytes that was loaded.
    func add(_ bytes: Int) {
        state.withLock { state in
            state.bytes += bytes
            state.count += 1
            if isFull(state) { queue.isSuspended = true }
        }
    }

    /// Takes out an original of `bytes` bytes that is processed or given up.
    func remove(_ bytes: Int) {
        let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.bytes -= bytes
            state.count -= 1
            guard !isFull(state) else { return [] }
            queue.isSuspended = false
            // One reader an original that left: all at once would overfill it again.
            let count = min(state.waiters.count, max(1, maxCount - state.count))
            defer { state.waiters.removeFirst(count) }
            return Array(state.waiters.prefix(count))
        }
        for continuation in released { continuation.resume() }
    }

    private func isFull(_ state: borrowing State) -> Bool {
        state.bytes >= maxBytes || state.count >= maxCount
    }
}
