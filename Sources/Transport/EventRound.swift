import Foundation
import Synchronization

/// The work that one round of events leaves for the event loop, collected while libcurl calls the handles.
final class EventRound {
    let buffers = ChunkBuffers()
    /// The start of the round: exact enough for time limits, and read once instead of for every line.
    private(set) var start = ContinuousClock.now
    /// The handles with undelivered bytes.
    private var holders: [EasyHandle] = []
    /// The earliest time limit of the discarded bodies that arrived in this round.
    private var discardDeadline: ContinuousClock.Instant?

    /// The paused handles and the times at which they may resume.
    private(set) var paused: [(handle: EasyHandle, end: ContinuousClock.Instant)] = []

    /// Resumes the handles whose time has come, in the order in which they paused.
    func resume() {
        guard !paused.isEmpty else { return }
        let due = paused.filter { $0.end <= start }
        paused.removeAll { $0.end <= start }
        for (handle, _) in due { handle.resume() }
    }

    func notePause(of handle: EasyHandle, until end: ContinuousClock.Instant) {
        paused.append((handle, end))
    }

    func begin() {
        start = .now
    }

    func noteBytes(of handle: EasyHandle) {
        holders.append(handle)
    }

    func noteDiscardDeadline(_ deadline: ContinuousClock.Instant) {
        discardDeadline = min(discardDeadline ?? deadline, deadline)
    }

    /// Delivers buffered bytes.
    /// - Returns: A deadline that arose in this round.
    func deliver() -> ContinuousClock.Instant? {
        defer {
            holders.removeAll(keepingCapacity: true)
            discardDeadline = nil
        }
        for holder in holders { holder.flush() }
        return discardDeadline
    }
}

/// Reusable buffers for chunks.
///
/// A buffer returns to the pool when the data made from it is released.
///
/// Fresh memory costs a page fault per page, which dominates the cost of large bodies on loopback.
final class ChunkBuffers: Sendable {
    /// The size of a buffer in bytes.
    ///
    /// libcurl reads that much at once.
    static let size = 64 * 1024
    /// The most idle buffers to keep.
    private static let kept = 64

    private let free = Mutex<[UInt]>([])

    deinit {
        for address in free.withLock({ $0 }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
    }

    func take() -> UnsafeMutableRawPointer {
        free.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
            ?? .allocate(byteCount: Self.size, alignment: 64)
    }

    func giveBack(_ buffer: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: buffer)
        let isKept = free.withLock { free in
            guard free.count < Self.kept else { return false }
            free.append(address)
            return true
        }
        if !isKept { buffer.deallocate() }
    }

    /// Returns the first `count` bytes of a buffer as data that owns the buffer.
    ///
    /// A short chunk is copied, so that keeping it does not keep the whole buffer.
    func data(_ buffer: UnsafeMutableRawPointer, count: Int) -> Data {
        guard count < Self.size / 2 else {
            return Data(
                bytesNoCopy: buffer,
                count: count,
                deallocator: .custom { [self] buffer, _ in giveBack(buffer) }
            )
        }
        defer { giveBack(buffer) }
        return Data(bytes: buffer, count: count)
    }
}
