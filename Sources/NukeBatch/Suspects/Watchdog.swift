import Nuke
import Synchronization

/// Gives up work that does not end: it looks once a second, and a thread that is lost is replaced.
///
/// The thread cannot be ended. It works on, and what it comes to is dropped.
final class Watchdog: Sendable {
    /// Work had not ended in so much time.
    struct Expired: Error {
        let seconds: Int
    }

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

    /// How long a stage may take that holds `bytes`, in seconds: some hundred times what the slowest encoder needs for as
    /// many pixels, as another one's load is no image's fault.
    static func seconds(for bytes: Int) -> Int {
        10 + bytes / 1_000_000
    }

    /// Runs `work` on a thread of `queue`, and no longer than `seconds` from when it begins.
    /// - Throws: What `work` throws, `Expired`, or `CancellationError`.
    func run<Value: Sendable>(
        within seconds: Int,
        on queue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let handle = WorkHandle()
        return try await queue.run(handle: handle) {
            let number = self.begin(seconds) {
                queue.queue.maxConcurrentOperationCount += 1
                handle.giveUp(with: Expired(seconds: seconds))
            }
            // The lost thread came back.
            defer { if !self.end(number) { queue.queue.maxConcurrentOperationCount -= 1 } }
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

    /// Whether the work had not been given up.
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
