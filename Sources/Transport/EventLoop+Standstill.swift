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

    /// Waits for events, and gives all transfers the time back in which this process did not run.
    func wait(milliseconds: Int) -> (count: Int, isWoken: Bool) {
        let isIdle = active.isEmpty && pending.isEmpty
        let limit = isIdle ? milliseconds : min(milliseconds, Self.longestWait)
        let start = ContinuousClock.now
        let result = poll.wait(milliseconds: limit)
        let time = ContinuousClock.now - start
        if !isIdle, time > .milliseconds(limit) + Self.tolerance { forgive(time) }
        return result
    }

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
