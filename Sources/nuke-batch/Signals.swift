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
        // A full file size limit is answered by the failing call itself.
        signal(SIGXFSZ, SIG_IGN)
        let arrivals = Arrivals()
        for (number, code) in [(SIGINT, ExitCode.interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp)] {
            // `nohup`, and a shell that starts a job in the background, have it ignored: it is to stay so.
            if Self.ignore(number), number != SIGTERM { continue }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [queue] in
                guard arrivals.isFirst() else { _exit(code.rawValue) }
                stop(code)
                queue.asyncAfter(deadline: .now() + Self.drain) { _exit(code.rawValue) }
            }
            source.resume()
            sources.append(source)
        }
    }

    /// Takes the default action away from a signal; whether it was ignored already.
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

/// Tells the first signal from the ones after it.
private final class Arrivals: Sendable {
    private let count = Mutex(0)

    func isFirst() -> Bool {
        count.withLock { count in
            count += 1
            return count == 1
        }
    }
}
