import Foundation
import Synchronization

/// Whether a run is to go on, and why not.
final class RunControl: Sendable {
    private struct State {
        var exit: ExitCode?
        var trouble: String?
        var isStopped = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    /// Whether no more items are to be claimed.
    var isStopping: Bool {
        state.withLock { $0.exit != nil }
    }

    /// Why the run was stopped, nil if it was not.
    var exit: ExitCode? {
        state.withLock { $0.exit }
    }

    /// The trouble of the machine that stopped it, in a sentence.
    var trouble: String? {
        state.withLock { $0.trouble }
    }

    /// Calls `handler` when the run is stopped, at once if it was already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.handlers.append(handler)
            return state.isStopped
        }
        if isStopped { handler() }
    }

    /// Ends the run soon: what waits and what is on its way is given up.
    ///
    /// A more serious reason replaces a lesser one.
    func stop(_ exit: ExitCode, trouble: String? = nil) {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            state.exit = Self.graver(state.exit, exit)
            state.trouble = state.trouble ?? trouble
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Claims no more items; those in flight go their way.
    func stopClaiming(_ exit: ExitCode) {
        state.withLock { $0.exit = Self.graver($0.exit, exit) }
    }

    /// Claims nothing more after `duration`, and gives up what is then still waiting five seconds later.
    func stopAfter(_ duration: Duration?) -> Task<Void, Never>? {
        guard let duration else { return nil }
        return Task {
            guard (try? await Task.sleep(for: duration)) != nil else { return }
            stopClaiming(.workLeft)
            guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
            stop(.workLeft)
        }
    }

    /// The exit code that holds of two: a signal's, then 4, 5, 1, 0 (command-line contract).
    static func graver(_ first: ExitCode?, _ second: ExitCode) -> ExitCode {
        guard let first else { return second }
        let order: [ExitCode] = [.hungUp, .interrupted, .terminated, .machine, .workLeft, .someFailed, .done]
        return order.first { $0 == first || $0 == second } ?? first
    }
}

/// A wait that can be ended early.
final class RunTimer: Sendable {
    private let sleeping = Mutex<(task: Task<Void, Never>?, isRung: Bool)>((nil, false))

    /// Waits for so long, or until `ring`; not at all after it.
    func wait(milliseconds: Int64) async {
        let task = sleeping.withLock { sleeping -> Task<Void, Never>? in
            guard !sleeping.isRung else { return nil }
            let task = Task<Void, Never> { _ = try? await Task.sleep(for: .milliseconds(milliseconds)) }
            sleeping.task = task
            return task
        }
        await task?.value
    }

    /// Ends the wait, and all later ones at once.
    func ring() {
        sleeping.withLock { sleeping in
            sleeping.isRung = true
            sleeping.task?.cancel()
        }
    }
}
