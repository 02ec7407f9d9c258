/// A thread that repeats an action at an interval by the monotonic clock, until it is stopped.
public final class PeriodicThread: Sendable {
    private let stopped = TimedSemaphore()
    private let ended = TimedSemaphore()

    /// Starts the thread; the first call of `action` comes after `seconds`.
    /// - Throws: `FileError` if the system has no room for another thread.
    public init(
        _ name: String,
        every seconds: Double,
        _ action: @escaping @Sendable () -> Void
    ) throws(FileError) {
        try SystemThread.start(name) { [stopped, ended] in
            while !stopped.wait(seconds: seconds) { action() }
            ended.signal()
        }
    }

    /// Ends the thread, and waits for a call that is under way.
    ///
    /// Call it once.
    public func stop() {
        stopped.signal()
        ended.wait()
    }
}
