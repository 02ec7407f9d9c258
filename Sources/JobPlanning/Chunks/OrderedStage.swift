import Files
import Synchronization

/// Transforms inputs on several threads, and hands the outputs over in the order of the inputs.
///
/// One thread, the owner, adds inputs and takes outputs. While the next output is not there, it transforms inputs, too:
/// where no other thread can be started, it does all the work.
final class OrderedStage<Input: Sendable, Output: Sendable>: Sendable {
    private enum Slot {
        case waiting(Input)
        case inWork
        case done(Output)
    }

    private struct State {
        /// The inputs and outputs that the owner has not taken, in order.
        var slots: [Slot] = []
        /// The number of outputs that the owner has taken.
        var taken = 0
        /// The number of the first input that nobody works on; those before it are in work, done or taken.
        var next = 0
        var isEnded = false

        /// Returns an input that nobody works on, with its number.
        mutating func begin() -> (number: Int, input: Input)? {
            guard next - taken < slots.count, case .waiting(let input) = slots[next - taken] else {
                return nil
            }
            slots[next - taken] = .inWork
            next += 1
            return (next - 1, input)
        }
    }

    /// The step of the owner on its way to an output.
    private enum Step {
        case take(Output)
        case work(number: Int, Input)
        case wait
        case end
    }

    private let transform: @Sendable (Input) -> Output
    private let capacity: Int
    private let state = Mutex(State())
    /// Signalled for each input.
    private let arrivals = TimedSemaphore()
    /// Signalled for each output of another thread.
    private let completions = TimedSemaphore()

    /// Creates a stage with a thread for each of `cores` but the owner's; the owner must call `end` at last.
    init(cores: Int, _ transform: @escaping @Sendable (Input) -> Output) {
        self.transform = transform
        capacity = 2 * cores + 1
        for _ in 1..<max(1, cores) {
            // The threads that can be started are enough.
            try? SystemThread.start("plan") { self.work() }
        }
    }

    /// True if an output must be taken before another input is added: memory does not grow with the number of inputs.
    var isFull: Bool { state.withLock { $0.slots.count >= capacity } }

    /// Adds an input.
    func add(_ input: Input) {
        state.withLock { $0.slots.append(.waiting(input)) }
        arrivals.signal()
    }

    /// Returns the output of the first input whose output was not taken yet; nil if there is none.
    ///
    /// Blocks until it is there.
    func next() -> Output? {
        while true {
            let step = state.withLock { state -> Step in
                guard let first = state.slots.first else { return .end }
                if case .done(let output) = first {
                    state.slots.removeFirst()
                    state.taken += 1
                    return .take(output)
                }
                return state.begin().map { .work(number: $0, $1) } ?? .wait
            }
            switch step {
            case .take(let output): return output
            case .work(let number, let input): finish(number, transform(input))
            // A signal of an output that was taken before ends the wait early, which is harmless.
            case .wait: completions.wait()
            case .end: return nil
            }
        }
    }

    /// Makes the other threads end, and drops what is not taken.
    func end() {
        state.withLock { $0 = State(isEnded: true) }
        for _ in 0..<capacity { arrivals.signal() }
    }

    private func work() {
        while true {
            arrivals.wait()
            let (begun, isEnded) = state.withLock { ($0.begin(), $0.isEnded) }
            if isEnded { return }
            // The owner may have taken the input itself.
            guard let begun else { continue }
            finish(begun.number, transform(begun.input))
            completions.signal()
        }
    }

    private func finish(_ number: Int, _ output: Output) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.slots[number - state.taken] = .done(output)
        }
    }
}
