import Foundation
import Synchronization

/// Ends this process with SIGALRM when its work stands still for too long: by the clock, but without the time in which one
/// of its threads is ready to run.
///
/// Such a thread runs, which the limit of processor time ends, or waits for a processor, which is no fault of slow work. Once a
/// second, a thread looks at the states of the others (`/proc/self/task/*/stat`); where there are none, the clock alone
/// decides. `alarm(2)` is the backstop for a process that blocks this thread, too, or has none; it is a minute late, so that
/// this thread's own turn comes first.
final class StallAlarm: Sendable {
    private struct State {
        /// The time that is left, in seconds.
        var left = 0.0
        var isStarted = false
    }

    /// The seconds by which the backstop is late.
    private static let grace = 60

    private let state = Mutex(State())

    /// Sends the signal `seconds` from now.
    func restart(seconds: Int) {
        let isFirst = state.withLock { state in
            state.left = Double(seconds)
            return !exchange(&state.isStarted, with: true)
        }
        alarm(UInt32(clamping: seconds + Self.grace))
        guard isFirst else { return }
        let thread = Thread { [self] in run() }
        thread.name = "StallAlarm"
        thread.stackSize = 256 * 1024
        thread.start()
    }

    private func run() {
        let this = Self.fields("/proc/thread-self/stat").first
        var (now, waited) = (SuspendingClock.now, Self.wait())
        while true {
            sleep(1)
            let (last, before) = (now, waited)
            (now, waited) = (.now, Self.wait())
            // Neither does the time count in which this thread itself waited for its turn.
            let stood = last.duration(to: now) / .seconds(1) - (waited - before)
            let isReady = Self.hasReadyThread(besides: this)
            let left = state.withLock { state in
                if !isReady { state.left -= max(stood, 0) }
                return state.left
            }
            if left <= 0 { kill(getpid(), SIGALRM) }
            alarm(UInt32(clamping: Int(left.rounded(.up)) + Self.grace))
        }
    }

    /// Returns true if a thread other than `this` runs or waits for a processor.
    private static func hasReadyThread(besides this: Substring?) -> Bool {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.contains { thread in
            guard thread != this ?? "" else { return false }
            let stat = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
            // The name before the state may have spaces and parentheses of its own (proc_pid_stat(5)).
            return stat.lastIndex(of: ")").map { stat[$0...].hasPrefix(") R") } ?? false
        }
    }

    /// The seconds that this thread was ready to run and had no processor; 0 where the kernel does not count them.
    private static func wait() -> Double {
        // The time on a processor, the time waiting for one (both in nanoseconds), and the number of turns.
        let numbers = fields("/proc/thread-self/schedstat").compactMap { Double($0) }
        return numbers.count > 1 ? numbers[1] / 1_000_000_000 : 0
    }

    /// The words in a file of the kernel; none if it is missing.
    private static func fields(_ path: String) -> [Substring] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: " ")
    }
}
