import Foundation
import Synchronization

/// Ends this process with SIGALRM when its work stands still for too long: by the clock, but without the time in which it
/// waits for a processor.
///
/// Slow work is not at fault while others take the processor. The kernel counts that time for each thread
/// (`/proc/self/task/*/schedstat`); where it does not, the clock alone decides. `alarm(2)` is the backstop for a process
/// that blocks this thread, too, or has none; it is a minute late, so that this thread's own turn comes first.
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
            defer { state.isStarted = true }
            return !state.isStarted
        }
        alarm(UInt32(clamping: seconds + Self.grace))
        guard isFirst else { return }
        let thread = Thread { [self] in run() }
        thread.name = "StallAlarm"
        thread.stackSize = 256 * 1024
        thread.start()
    }

    private func run() {
        var (now, waits) = (SuspendingClock.now, Self.waits())
        while true {
            sleep(1)
            let (last, known) = (now, waits)
            (now, waits) = (.now, Self.waits())
            let elapsed = last.duration(to: now) / .seconds(1)
            let waited = waits.reduce(0) { $0 + max($1.value - (known[$1.key] ?? 0), 0) }
            let left = state.withLock { state in
                state.left -= max(elapsed - waited, 0)
                return state.left
            }
            if left <= 0 { kill(getpid(), SIGALRM) }
            alarm(UInt32(clamping: Int(left.rounded(.up)) + Self.grace))
        }
    }

    /// The seconds that each thread was ready to run and had no processor, by its number.
    private static func waits() -> [String: Double] {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var waits: [String: Double] = [:]
        for thread in threads {
            // The time on a processor, the time waiting for one (both in nanoseconds), and the number of turns.
            let text = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
            let numbers = text?.split(separator: " ").compactMap { Double($0) } ?? []
            if numbers.count > 1 { waits[thread] = numbers[1] / 1_000_000_000 }
        }
        return waits
    }
}
