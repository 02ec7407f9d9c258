import CTransport
import Foundation
import Synchronization

/// Passes commands from any thread to the event thread, and wakes it only if it sleeps.
final class Mailbox: Sendable {
    enum Command: Sendable {
        case start(UInt64, TransferRequest, any TransferDelegate)
        case cancel(UInt64)
        case stop
    }

    private struct State {
        var commands: [Command] = []
        var isReaderAsleep = false
    }

    /// An eventfd that the event thread polls together with its sockets.
    let wakeup: Int32
    private let state = Mutex(State())

    init() {
        wakeup = nb_wakeup_create()
        precondition(wakeup >= 0, "no descriptor for a transport: \(String(cString: strerror(errno)))")
    }

    deinit {
        close(wakeup)
    }

    func post(_ command: Command) {
        let mustWake = state.withLock { state in
            state.commands.append(command)
            defer { state.isReaderAsleep = false }
            return state.isReaderAsleep
        }
        guard mustWake else { return }
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns all commands since the last call.
    func take() -> [Command] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            defer { state.commands = [] }
            return state.commands
        }
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
