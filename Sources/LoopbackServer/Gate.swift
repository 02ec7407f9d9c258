import Foundation

/// A gate that blocks threads until it is opened for good, such as a response held until a test continues.
public final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all current and later waiters.
    public func open() {
        semaphore.signal()
    }

    /// Blocks the calling thread until the gate is open.
    ///
    /// Never call it on Swift's cooperative threads.
    public func wait() {
        semaphore.wait()
        // Passes the single signal on to the next waiter.
        semaphore.signal()
    }

    /// As `wait`, but at most for `limit`, in steps of a second: one that a stop of the whole machine spans counts once.
    public func wait(atMost limit: Duration) {
        var left = limit
        while left > .zero {
            let step = min(left, .seconds(1))
            if semaphore.wait(timeout: .now() + step / .seconds(1)) == .success {
                semaphore.signal()
                return
            }
            left -= step
        }
    }
}
