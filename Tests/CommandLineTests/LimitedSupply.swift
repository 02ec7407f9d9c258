import LoopbackServer
import Synchronization

/// Answers of a server that come to an end before a job does, so that it is never finished between kills: however late a
/// test hears of what is done, the run that asks for more is killed instead of answered.
final class LimitedSupply: Sendable {
    private struct State {
        var given: Set<String> = []
        var isLimited = true
        var isExhausted = false
        var kill: (@Sendable () -> Void)?
        var gate = Gate()
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Gives `limit` different answers.
    init(limit: Int) {
        self.limit = limit
    }

    /// Returns true if a path gets a response; otherwise, returns after the run has ended.
    func answers(_ path: String) -> Bool {
        let (isGiven, kill, gate) = state.withLock { state in
            if !state.isLimited || state.given.count < limit { state.given.insert(path) }
            let isGiven = state.given.contains(path)
            if !isGiven { state.isExhausted = true }
            return (isGiven, state.kill, state.gate)
        }
        guard !isGiven else { return true }
        kill?()
        gate.wait()
        return false
    }

    /// Sets the closure that kills the started run.
    func run(_ kill: @escaping @Sendable () -> Void) {
        let isExhausted = state.withLock { state in
            state.kill = kill
            return state.isExhausted
        }
        if isExhausted { kill() }
    }

    /// The run has ended.
    func endRun() {
        let gate = state.withLock { state in
            defer { (state.gate, state.kill, state.isExhausted) = (Gate(), nil, false) }
            return state.gate
        }
        gate.open()
    }

    /// Answers everything from now on.
    func lift() {
        state.withLock { $0.isLimited = false }
    }
}
