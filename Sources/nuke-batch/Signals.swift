import Foundation
import NukeBatch
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a run that stops soon: the first drains it, the second ends it at once.
///
/// Either way the state is whole: what was not acknowledged is put back by this run or by the next one.
final class Signals {
    /// How long the first signal lets running work go on, in seconds (promise P5 allows 5).
    private static let drain = 4.5

    private let queue = DispatchQueue(label: "signals")
    private var sources: [any DispatchSourceSignal] = []

    /// Calls `stop` with the signal's exit code when one arrives.
    init(stop: @escaping @Sendable (ExitCode) -> Void) {
        // A reader that has gone away and a full file size limit are answered by the failing call itself.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        for (number, code) in [(SIGINT, ExitCode.interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp)] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            let arrivals = Arrivals()
            source.setEventHandler { [queue] in
                guard arrivals.isFirst() else { _exit(code.rawValue) }
                stop(code)
                queue.asyncAfter(deadline: .now() + Self.drain) { _exit(code.rawValue) }
            }
            source.resume()
            sources.append(source)
        }
    }
}

/// Tells the first arrival of a signal from the ones after it.
private final class Arrivals: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}
