import CTransport
import Foundation
import Synchronization

/// Passes commands from any thread to the event thread, and wakes it only if it sleeps.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case start(UInt64, TransferRequest, any TransferDelegate)
        case cancel(UInt64)
        case stop

        /// Ends the transfer that was to start.
        func end(_ trouble: TransportError) {
            guard case .start(_, _, let delegate) = self else { return }
            delegate.transferDidEnd(TransferMetrics(), error: trouble)
        }
    }

    private struct State {
        var commands: [Command] = []
        /// The reason why nobody reads the commands.
        var trouble: TransportError?
        var isReaderAsleep = false
    }

    /// An eventfd that the event thread polls together with its sockets.
    let wakeup: Int32
    private let state = Mutex(State())

    init() {
        wakeup = nb_wakeup_create()
        if wakeup < 0 { refuse(.noDescriptor) }
    }

    deinit {
        if wakeup >= 0 { close(wakeup) }
    }

    /// Passes a command on; a transfer that nobody can perform ends at once, on another thread.
    func post(_ command: Command) {
        let (mustWake, trouble) = state.withLock { state -> (Bool, TransportError?) in
            if let trouble = state.trouble { return (false, trouble) }
            state.commands.append(command)
            return (exchange(&state.isReaderAsleep, with: false), nil)
        }
        if let trouble {
            DispatchQueue.global().async { command.end(trouble) }
        } else if mustWake {
            var one: UInt64 = 1
            _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
        }
    }

    /// Ends all transfers that were posted, and those that follow, with `trouble`, since there is no event thread.
    func refuse(_ trouble: TransportError) {
        let commands = state.withLock { state in
            state.trouble = trouble
            return exchange(&state.commands, with: [])
        }
        for command in commands { command.end(trouble) }
    }

    /// Returns all commands since the last call.
    func take() -> [Command] {
        state.withLock { exchange(&$0.commands, with: []) }
    }

    /// Returns true if the event thread may sleep: there is no command, and the next one will write to ``wakeup``.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isReaderAsleep = state.commands.isEmpty
            return state.isReaderAsleep
        }
    }

    /// Resets ``wakeup``.
    func drainWakeup() {
        state.withLock { $0.isReaderAsleep = false }
        var count: UInt64 = 0
        _ = read(wakeup, &count, MemoryLayout<UInt64>.size)
    }
}
