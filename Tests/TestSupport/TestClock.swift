import Synchronization

/// A clock that jumps ahead whenever somebody sleeps, or lets sleep until it is cancelled, and keeps the record.
public final class TestClock: Clock {
    /// A point in the time of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the first one.
        public let offset: Swift.Duration

        /// Returns the point after `duration`.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time until `other`.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        /// True if `one` is before `other`.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private typealias Waiter = CheckedContinuation<Void, Never>

    private let isHolding: Bool
    private let state = Mutex<(pauses: [Swift.Duration], waiters: [Waiter])>(([], []))

    /// None: it measures anything.
    public let minimumResolution = Swift.Duration.zero

    /// With `isHolding`, who sleeps does so until cancelled.
    public init(isHolding: Bool = false) {
        self.isHolding = isHolding
    }

    /// The sum of all sleeps.
    public var now: Instant { Instant(offset: pauses.reduce(.zero, +)) }

    /// The duration of each sleep.
    public var pauses: [Swift.Duration] { state.withLock { $0.pauses } }

    /// Jumps ahead, or sleeps until the task is cancelled.
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
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
    public func sleeper() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.pauses.isEmpty { state.waiters.append(continuation) }
                return !state.pauses.isEmpty
            }
            if isSleeping { continuation.resume() }
        }
    }
}
