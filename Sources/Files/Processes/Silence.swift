import Foundation

/// The wait for a sign of life of another process, which gives up after a time, or when nobody needs it any more.
///
/// Only turns of this process count, so that a machine that stood still has not run out of time.
struct Silence {
    /// The time of a turn, in milliseconds.
    private static let turn = 100

    private let limit: Int
    private let isStopped: @Sendable () -> Bool
    /// The milliseconds that are left.
    private var left: Int

    /// Begins to wait for at most `limit` without a sign.
    init(_ limit: Duration, isStopped: @escaping @Sendable () -> Bool) {
        self.limit = Int(clamping: Int64(limit / .milliseconds(1)))
        self.isStopped = isStopped
        left = self.limit
    }

    /// Takes a sign of life: the time begins anew.
    mutating func end() {
        left = limit
    }

    /// Blocks the thread until `descriptor` has one of `events` (`poll(2)`), or a turn is over; true if it has.
    /// - Throws: `FileError`, with the code `ETIMEDOUT` after the time, and `ECANCELED` when stopped.
    mutating func wait(for events: Int32, of descriptor: Int32) throws(FileError) -> Bool {
        guard !isStopped() else { throw FileError("wait for", "a process", code: ECANCELED) }
        guard left > 0 else { throw FileError("wait for", "a process", code: ETIMEDOUT) }
        var wanted = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let count = poll(&wanted, 1, Int32(Self.turn))
        guard count >= 0 || errno == EINTR else { throw FileError("wait for", "a process", code: errno) }
        if count > 0 { return true }
        left -= Self.turn
        return false
    }
}
