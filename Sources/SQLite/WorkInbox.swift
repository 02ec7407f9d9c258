import Files
import Synchronization

/// The queue of work for the database's thread.
final class WorkInbox: Sendable {
    /// The most changes in one transaction.
    private static let batchSize = 256

    private struct State {
        var works: [Work] = []
        var urgent = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    /// Signalled for the first work, for urgent work, for a full batch, and when the queue stops.
    private let arrivals = TimedSemaphore()

    func add(_ work: Work) -> Bool {
        let (isAccepted, isAwaited) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            state.works.append(work)
            if work.isUrgent { state.urgent += 1 }
            return (true, work.isUrgent || state.works.count == 1 || state.works.count == Self.batchSize)
        }
        if isAwaited { arrivals.signal() }
        return isAccepted
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for work, then up to `delay` seconds for more unless some is urgent.
    ///
    /// Nil after the end.
    func take(delay: Double) -> [Work]? {
        arrivals.wait()
        let deadline = ContinuousClock.now + .seconds(delay)
        while state.withLock({ $0.urgent == 0 && !$0.isStopped && $0.works.count < Self.batchSize }) {
            guard arrivals.wait(seconds: (deadline - .now) / .seconds(1)) else { break }
        }
        let (batch, isStopped) = state.withLock { state in
            defer { (state.works, state.urgent) = ([], 0) }
            return (state.works, state.isStopped)
        }
        // The signal of the end may have been consumed while waiting for more work.
        if isStopped { arrivals.signal() }
        // Signals of work that was taken early wake the thread with an empty list, which is harmless.
        return batch.isEmpty && isStopped ? nil : batch
    }
}

/// One unit of work on its way to the database's thread.
struct Work: Sendable {
    let isChange: Bool
    let isUrgent: Bool
    let run: @Sendable (Connection) throws -> Void
    let finish: @Sendable ((any Error)?) -> Void
}
