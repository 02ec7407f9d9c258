import Foundation
import JobPlanning
import Synchronization

/// Stops a run on SIGINT, SIGTERM or SIGHUP: the first signal drains it, the second ends the process at once.
///
/// The state stays intact in both cases: this run or the next one puts unfinished items back.
final class Signals {
    /// The time that running work gets after the first signal (promise P5 in `docs/promises.md` allows 5 seconds), in turns: one
    /// that a stop of the whole machine spans counts as one.
    private static let (turn, turns) = (0.25, 18)

    private let queue = DispatchQueue(label: "signals")
    private var sources: [any DispatchSourceSignal] = []

    /// Calls `stop` with the signal's exit code when one arrives, and `onGivingUp` before the process ends in the middle of work.
    init(stop: @escaping @Sendable (ExitCode) -> Void, onGivingUp giveUp: @escaping @Sendable () -> Void) {
        let arrivals = Arrivals()
        for (number, code) in [(SIGINT, ExitCode.interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp)] {
            // `nohup`, and shells for jobs in the background, ignore the signal: it stays ignored.
            if Self.ignore(number), number != SIGTERM { continue }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [queue] in
                guard arrivals.isFirst() else { _exit(code.rawValue) }
                stop(code)
                Self.drain(on: queue) {
                    giveUp()
                    _exit(code.rawValue)
                }
            }
            source.resume()
            sources.append(source)
        }
    }

    /// Calls `end` when all turns are over.
    private static func drain(
        _ left: Int = turns,
        on queue: DispatchQueue,
        end: @escaping @Sendable () -> Void
    ) {
        queue.asyncAfter(deadline: .now() + turn) {
            if left > 1 { drain(left - 1, on: queue, end: end) } else { end() }
        }
    }

    /// Takes the default action away from a signal.
    /// - Returns: True if the signal was ignored before.
    private static func ignore(_ number: Int32) -> Bool {
        var (ignoring, before) = (sigaction(), sigaction())
        unsafe ignoring.__sigaction_handler.sa_handler = SIG_IGN
        // Both structures live through the call, which keeps neither.
        unsafe sigaction(number, &ignoring, &before)
        // C functions are compared by their addresses.
        let handler = unsafe unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
        return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// Distinguishes the first signal from later ones.
private final class Arrivals: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}
