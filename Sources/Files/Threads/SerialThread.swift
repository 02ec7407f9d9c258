import Foundation
import Synchronization

/// A serial queue with a thread of its own, for work that waits for the disk.
///
/// The thread exists only while there is work. If the system has no room for it, a thread of Dispatch does the work: never
/// the caller's, which may hold a lock that the work takes.
package final class SerialThread: Sendable {
    private struct State {
        var works: ArraySlice<@Sendable () -> Void> = []
        var isRunning = false
        var isClosed = false
        /// The callers that wait for the end of all work.
        var waiting: [DispatchSemaphore] = []
    }

    package typealias Start = @Sendable (String, @escaping @Sendable () -> Void) throws -> Void

    private let name: String
    private let start: Start
    private let state = Mutex(State())

    /// `start` starts a thread of a name.
    package init(name: String, start: @escaping Start = { try SystemThread.start($0, $1) }) {
        (self.name, self.start) = (name, start)
    }

    /// Adds `work` to the queue.
    /// - Returns: False if the thread was closed; `work` is then never called.
    @discardableResult
    package func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isAccepted, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.works.append(work)
            return (true, !exchange(&state.isRunning, with: true))
        }
        if isFirst {
            do {
                try start(name) { [self] in run() }
            } catch {
                DispatchQueue.global().async { [self] in run() }
            }
        }
        return isAccepted
    }

    /// Waits until all work is done; no more work is accepted.
    ///
    /// Blocks the calling thread.
    package func close() {
        let end = DispatchSemaphore(value: 0)
        let isRunning = state.withLock { state in
            state.isClosed = true
            if state.isRunning { state.waiting.append(end) }
            return state.isRunning
        }
        if isRunning { end.wait() }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        let (work, waiting): ((@Sendable () -> Void)?, [DispatchSemaphore]) = state.withLock { state in
            if let work = state.works.popFirst() { return (work, []) }
            state.isRunning = false
            return (nil, exchange(&state.waiting, with: []))
        }
        for end in waiting { end.signal() }
        return work
    }
}
