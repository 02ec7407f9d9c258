import Synchronization

/// A clock that jumps ahead whenever somebody sleeps, or lets sleep until it is cancelled, and keeps the record.
final class TestClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private typealias Waiter = CheckedContinuation<Void, Never>

    private let isHolding: Bool
    private let state = Mutex<(pauses: [Swift.Duration], waiters: [Waiter])>(([], []))

    let minimumResolution = Swift.Duration.zero

    /// With `isHolding`, who sleeps does so until cancelled.
    init(isHolding: Bool = false) {
        self.isHolding = isHolding
    }

    var now: Instant { Instant(offset: pauses.reduce(.zero, +)) }

    /// The duration of each sleep.
    var pauses: [Swift.Duration] { state.withLock { $0.pauses } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let pause = now.duration(to: deadline)
        let waiters = state.withLock { state in
            state.pauses.append(pause)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        if isHolding {
            // What never comes is waited for until the task is cancelled.
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            for await _ in stream {}
            continuation.finish()
        }
        try Task.checkCancellation()
    }

    /// Suspends until somebody sleeps.
    func sleeper() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.pauses.isEmpty { state.waiters.append(continuation) }
                return !state.pauses.isEmpty
            }
            if isSleeping { continuation.resume() }
        }
    }
}
