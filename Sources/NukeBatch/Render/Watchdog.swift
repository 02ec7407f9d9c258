import Files
import JobPlanning
import Synchronization

/// A time limit on work: once a second it gives up overdue work and replaces its thread.
///
/// The thread cannot be ended. It continues, and its result is discarded.
final class Watchdog: Sendable {
    private struct Watch {
        let end: SuspendingClock.Instant
        let expire: @Sendable () -> Void
    }

    private let watches = Mutex<(next: Int, running: [Int: Watch])>((0, [:]))
    private let looking = Mutex<Task<Void, Never>?>(nil)

    init() {
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(1))) != nil { self?.look() }
        }
        looking.withLock { $0 = task }
    }

    deinit {
        looking.withLock { $0?.cancel() }
    }

    /// The time limit in seconds of drawing an SVG, of which a few bytes can ask for hours.
    static let drawing = 60

    /// Returns the time limit in seconds of a stage that holds `bytes`.
    ///
    /// It is some hundred times the need of the slowest encoder for as many pixels, since other processes may load the
    /// machine.
    static func seconds(for bytes: Int) -> Int {
        10 + bytes / 1_000_000
    }

    /// Runs `work` on a thread of `queue` for at most `seconds` from its start.
    /// - Throws: The error of `work`, `ItemError` at the limit, or `CancellationError`.
    func run<Value: Sendable>(
        within seconds: Int,
        on queue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let handle = OperationHandle()
        return try await queue.run(handle: handle) {
            let number = self.begin(seconds) {
                queue.widen()
                handle.giveUp(
                    with: ItemError(.crashed, "a stage did not end within \(seconds) s", handling: .suspect)
                )
            }
            // A thread that was given up has returned.
            defer { if !self.end(number) { queue.narrow() } }
            return try work()
        }
    }

    private func begin(_ seconds: Int, _ expire: @escaping @Sendable () -> Void) -> Int {
        let watch = Watch(end: .now.advanced(by: .seconds(seconds)), expire: expire)
        return watches.withLock { watches in
            watches.next += 1
            watches.running[watches.next] = watch
            return watches.next
        }
    }

    /// Ends the watch; true if the work had not been given up.
    private func end(_ number: Int) -> Bool {
        watches.withLock { $0.running.removeValue(forKey: number) != nil }
    }

    private func look() {
        let now = SuspendingClock.now
        let late = watches.withLock { watches in
            let late = watches.running.filter { $0.value.end <= now }
            for number in late.keys { watches.running[number] = nil }
            return late.values
        }
        for watch in late { watch.expire() }
    }
}
