import Foundation
import Originals
import Synchronization

/// Backpressure on loading, so that originals do not pile up in memory.
///
/// It limits the originals that wait for a processor, those that are complete and not yet durable in the cache, and the
/// bytes of all originals together with their outputs that wait for the disk. Bytes in memory and bytes in files, which
/// take memory only while they are used, have limits of their own. Transfers are suspended in the pipeline, where active
/// transfers go on. Reads of originals that are available locally wait here, before they take memory.
final class LoadBackpressure: Sendable {
    /// The limits.
    struct Limits: Sendable {
        /// The bytes of originals and outputs in memory.
        var bytes: Int
        /// The bytes of originals in files.
        var fileBytes: Int
        /// The bytes of transfers in memory; those beyond go on in files.
        var receivedBytes: Int
        /// The originals that wait for a processor.
        var count: Int
        /// The complete originals that wait for the disk, which would be loaded again after a kill.
        var unstored: Int
    }

    /// A reservation for one original, released when no reference to it is left.
    ///
    /// May be used from any thread.
    final class Reservation: Sendable {
        /// True if the original's bytes are in a file.
        let isInFile: Bool
        private let backpressure: LoadBackpressure
        private let fileBytes: Int
        private let state: Mutex<(bytes: Int, isWaiting: Bool)>

        fileprivate init(_ bytes: Int, inFile: Bool, of backpressure: LoadBackpressure) {
            self.backpressure = backpressure
            isInFile = inFile
            fileBytes = inFile ? bytes : 0
            state = Mutex((inFile ? 0 : bytes, true))
        }

        deinit {
            let (bytes, isWaiting) = state.withLock { $0 }
            backpressure.change { state in
                state.bytes -= bytes
                state.fileBytes -= fileBytes
                if isWaiting { state.count -= 1 }
            }
        }

        /// Records that the original was processed and that `bytes` bytes of outputs are to be written.
        func process(into bytes: Int) {
            let wasWaiting = state.withLock { state in
                defer { state = (state.bytes + bytes, false) }
                return state.isWaiting
            }
            backpressure.change { state in
                state.bytes += bytes
                if wasWaiting { state.count -= 1 }
            }
        }
    }

    private struct Waiter {
        let bytes: Int
        let isInFile: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var bytes = 0
        var fileBytes = 0
        var receivedBytes = 0
        var count = 0
        var unstored = 0
        var isHeld = false
        var waiters: [Waiter] = []

        mutating func add(_ bytes: Int, inFile: Bool) {
            if inFile { fileBytes += bytes } else { self.bytes += bytes }
            count += 1
        }
    }

    private let state = Mutex(State())
    private let transfers: OperationQueue
    private let limits: Limits

    /// Suspends `transfers`, the queue of a pipeline's loads, at any of the limits.
    init(_ transfers: OperationQueue, _ limits: Limits) {
        self.transfers = transfers
        self.limits = limits
    }

    /// Waits until an original of `bytes` bytes that is available locally may be read, and reserves its room.
    ///
    /// Callers are served in their order. Do not wait here while holding a reservation.
    func room(for bytes: Int, inFile: Bool) async -> Reservation {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                let waiter = Waiter(bytes: bytes, isInFile: inFile, continuation: continuation)
                guard state.waiters.isEmpty, fits(waiter, state) else {
                    state.waiters.append(waiter)
                    return false
                }
                state.add(bytes, inFile: inFile)
                holdTransfers(&state)
                return true
            }
            if hasRoom { continuation.resume() }
        }
        return Reservation(bytes, inFile: inFile, of: self)
    }

    /// Returns a reservation for a loaded original of `bytes` bytes.
    func enter(_ bytes: Int, inFile: Bool = false) -> Reservation {
        change { $0.add(bytes, inFile: inFile) }
        return Reservation(bytes, inFile: inFile, of: self)
    }

    private func change(_ body: (inout State) -> Void) {
        let released = state.withLock { state -> [Waiter] in
            body(&state)
            var released: [Waiter] = []
            while let first = state.waiters.first, fits(first, state) {
                state.add(first.bytes, inFile: first.isInFile)
                released.append(state.waiters.removeFirst())
            }
            holdTransfers(&state)
            return released
        }
        for waiter in released { waiter.continuation.resume() }
    }

    /// Suspends or resumes the transfers.
    private func holdTransfers(_ state: inout State) {
        let isHeld =
            state.bytes >= limits.bytes || state.fileBytes >= limits.fileBytes || state.count >= limits.count
            || state.unstored >= limits.unstored
        guard isHeld != state.isHeld else { return }
        state.isHeld = isHeld
        transfers.isSuspended = isHeld
    }

    /// True if there is room; one that is larger than the whole room has to be alone.
    private func fits(_ waiter: Waiter, _ state: borrowing State) -> Bool {
        guard state.count < limits.count else { return false }
        let (used, limit) =
            waiter.isInFile ? (state.fileBytes, limits.fileBytes) : (state.bytes, limits.bytes)
        return used == 0 || used + waiter.bytes <= limit
    }
}

extension LoadBackpressure: DownloadAccounting {
    func count(bytes: Int) -> Bool {
        state.withLock { state in
            state.receivedBytes += bytes
            return state.receivedBytes <= limits.receivedBytes
        }
    }

    func count(complete: Int) {
        change { $0.unstored += complete }
    }
}
