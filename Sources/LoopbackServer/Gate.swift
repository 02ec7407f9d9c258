public import Foundation

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

    /// As `wait`, but at most for `limit`.
    public func wait(atMost limit: DispatchTimeInterval) {
        if semaphore.wait(timeout: .now() + limit) == .success { semaphore.signal() }
    }
}
