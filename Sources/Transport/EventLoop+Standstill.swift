import CTransport
import Foundation

/// The time in which this process does not run, because it or the machine is stopped.
///
/// The clock goes on meanwhile, and so do the time limits of transfers whose answers nobody could read.
extension EventLoop {
    /// The longest wait with transfers under way: a wait that takes much longer was a standstill.
    private static let longestWait = 1000
    /// The delay from which on a wait counts as a standstill.
    private static let tolerance: Duration = .seconds(1)

    /// Waits for events.
    func wait(milliseconds: Int) -> (count: Int, isWoken: Bool) {
        let limit = isIdle ? milliseconds : min(milliseconds, Self.longestWait)
        noteTime()
        let result = poll.wait(milliseconds: limit)
        noteTime(expecting: .milliseconds(limit))
        return result
    }

    /// Gives all transfers the time back in which this process did not run since the last call.
    ///
    /// It is called on both sides of each wait, and before deadlines are examined: a process is stopped anywhere.
    func noteTime(expecting expected: Duration = .zero) {
        let now = ContinuousClock.now
        let time = now - lastNoted
        lastNoted = now
        if !isIdle, time > expected + Self.tolerance { forgive(time) }
    }

    private var isIdle: Bool { active.isEmpty && pending.isEmpty }

    private func forgive(_ standstill: Duration) {
        for handle in active.values { handle.forgive(standstill) }
        for identifier in Array(pending.keys) { pending[identifier]?.began += standstill }
        nextDeadline = nextDeadline.map { $0 + standstill }
    }
}

extension EasyHandle {
    /// Moves the transfer's time limits, but that of its whole duration.
    fileprivate func forgive(_ standstill: Duration) {
        state.began += standstill
        state.lastActivity = state.lastActivity.map { $0 + standstill }
        state.discardDeadline = state.discardDeadline.map { $0 + standstill }
        guard state.lastActivity == nil else { return }
        // libcurl reads it whenever it looks whether the time for connecting has passed.
        state.forgiven += standstill
        nb_easy_set_long(
            easy,
            CURLOPT_CONNECTTIMEOUT_MS,
            max(1, (state.request.connectTimeout - state.lookup + state.forgiven).wholeMilliseconds)
        )
    }
}
