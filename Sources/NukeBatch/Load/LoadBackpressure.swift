import Foundation
import Nuke
import Synchronization

/// Backpressure on loading, so that loaded originals do not pile up in memory.
///
/// It limits the originals that wait for a processor, those that are not yet durable in the cache, and the bytes of all
/// originals in memory together with their outputs that wait for the disk. Transfers are suspended in the pipeline,
/// where active transfers go on. Reads of originals that are available locally wait here, before they take memory.
final class LoadBackpressure: Sendable {
    /// A reservation for one original, released when no reference to it is left.
    ///
    /// May be used from any thread.
    final class Reservation: Sendable {
        private let backpressure: LoadBackpressure
        private let state: Mutex<(bytes: Int, isWaiting: Bool)>

        fileprivate init(_ bytes: Int, in backpressure: LoadBackpressure) {
            self.backpressure = backpressure
            state = Mutex((bytes, true))
        }

        deinit {
            let (bytes, isWaiting) = state.withLock { $0 }
            backpressure.change(bytes: -bytes, count: isWaiting ? -1 : 0)
        }

        /// Records that the original was processed and that `bytes` bytes of outputs are to be written.
        func process(into bytes: Int) {
            let wasWaiting = state.withLock { state in
                defer { state = (state.bytes + bytes, false) }
                return state.isWaiting
            }
            backpressure.change(bytes: bytes, count: wasWaiting ? -1 : 0)
        }
    }

    private struct State {
        var bytes = 0
        var count = 0
        var unstored = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let images: ImagePipeline
    private let maxBytes: Int
    private let maxCount: Int
    private let maxUnstored: Int

    /// Suspends the loads of `images` at any of three limits.
    ///
    /// They are `maxBytes` bytes in memory, `maxCount` originals that wait for a processor, and `maxUnstored` originals
    /// that wait for the disk, which would be loaded again after a kill.
    init(_ images: ImagePipeline, maxBytes: Int, maxCount: Int, maxUnstored: Int) {
        self.images = images
        self.maxBytes = maxBytes
        self.maxCount = maxCount
        self.maxUnstored = maxUnstored
    }

    /// True if an original that is available locally may be read without a wait.
    var hasRoom: Bool {
        state.withLock { $0.waiters.isEmpty && !isFull($0) }
    }

    /// Waits until an original that is available locally may be read.
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

    /// Returns a reservation for a loaded original of `bytes` bytes.
    func enter(_ bytes: Int) -> Reservation {
        change(bytes: bytes, count: 1)
        return Reservation(bytes, in: self)
    }

    /// Counts a loaded original as unstored until `cache` has settled `key`.
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
            if isHeld, !wasHeld { images.suspendLoading() }
            if wasHeld, !isHeld { images.resumeLoading() }
            guard unstored == 0, !isFull(state) else { return [] }
            // One waiting reader for each released original: all at once would exceed the limit again.
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
