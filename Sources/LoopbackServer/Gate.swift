public import Foundation

/// A gate that threads wait at until somebody opens it, for good; to hold a response until a test says go on.
public final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// A closed gate.
    public init() {}

    /// Lets all who wait and all who come later through.
    public func open() {
        semaphore.signal()
    }

    /// Blocks the calling thread until the gate is open.
    ///
    /// Never for Swift's cooperative threads.
    public func wait() {
        semaphore.wait()
        // Passes the one signal on to the next who waits.
        semaphore.signal()
    }

    /// As `wait`, but no longer than `limit`.
    public func wait(atMost limit: DispatchTimeInterval) {
        if semaphore.wait(timeout: .now() + limit) == .success { semaphore.signal() }
    }
}
