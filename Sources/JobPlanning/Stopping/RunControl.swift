import Synchronization

/// The switch that stops a run, with the reason.
package final class RunControl: Sendable {
    private struct State {
        var exit: ExitCode?
        /// The time from which no more items are claimed.
        var deadline: ContinuousClock.Instant?
        var trouble: String?
        var isStopped = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates the switch of a run that goes on.
    package init() {}

    /// True if no more items are to be planned or claimed.
    package var isStopping: Bool { exit != nil }

    /// The exit code of the reason to stop the run; nil if it was not stopped.
    package var exit: ExitCode? {
        state.withLock { state in
            // Planning occupies its thread: on a machine with one, the timer has no turn before its end.
            if state.exit == nil, let deadline = state.deadline, deadline <= .now { state.exit = .workLeft }
            return state.exit
        }
    }

    /// The local problem that stopped the run, in a sentence.
    package var trouble: String? { state.withLock { $0.trouble } }

    /// Calls `handler` when the run is stopped; at once if it was stopped already.
    package func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.handlers.append(handler)
            return state.isStopped
        }
        if isStopped { handler() }
    }

    /// Ends the run soon: cancels waiting items and active transfers.
    ///
    /// A more serious reason replaces a lesser one.
    package func stop(_ exit: ExitCode, trouble: String? = nil) {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            state.exit = ExitCode.graver(state.exit, exit)
            state.trouble = state.trouble ?? trouble
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Claims no more items; those in flight are finished.
    package func stopClaiming(_ exit: ExitCode) {
        state.withLock { $0.exit = ExitCode.graver($0.exit, exit) }
    }

    /// Claims no more items after `duration`; five seconds later, cancels the items that are still waiting.
    package func stopAfter(_ duration: Duration?) -> Task<Void, Never>? {
        guard let duration else { return nil }
        state.withLock { $0.deadline = .now + duration }
        return Task {
            guard (try? await Task.sleep(for: duration)) != nil else { return }
            stopClaiming(.workLeft)
            guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
            stop(.workLeft)
        }
    }
}
