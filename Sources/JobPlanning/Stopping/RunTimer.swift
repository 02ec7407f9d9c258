import Synchronization

/// A wait that can be ended early.
package final class RunTimer: Sendable {
    private let sleeping = Mutex<(task: Task<Void, Never>?, isRung: Bool)>((nil, false))

    /// Creates a timer that has not rung.
    package init() {}

    /// Waits for `milliseconds` or until `ring`; returns at once after `ring`.
    package func wait(milliseconds: Int64) async {
        let task = sleeping.withLock { sleeping -> Task<Void, Never>? in
            guard !sleeping.isRung else { return nil }
            let task = Task<Void, Never> { _ = try? await Task.sleep(for: .milliseconds(milliseconds)) }
            sleeping.task = task
            return task
        }
        await task?.value
    }

    /// Ends this wait; later waits return at once.
    package func ring() {
        sleeping.withLock { sleeping in
            sleeping.isRung = true
            sleeping.task?.cancel()
        }
    }
}
