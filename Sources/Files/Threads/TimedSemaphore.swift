import CFiles
import Glibc

// Unchecked because of the pointer: it is set once, the semaphore may be used from any thread, and nobody can use it after
// `deinit`.
/// A counting semaphore whose time limits follow the monotonic clock.
///
/// `DispatchSemaphore` measures time limits with the wall clock (`sem_timedwait`): if that is set back by an hour
/// during a wait, the wait takes an hour longer.
public final class TimedSemaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore without signals.
    public init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Adds a signal, which ends one wait.
    public func signal() {
        sem_post(semaphore)
    }

    /// Blocks the thread until there is a signal, and takes it.
    public func wait() {
        while sem_wait(semaphore) != 0 {}
    }

    /// Blocks the thread until there is a signal or `seconds` have passed.
    /// - Returns: True if it took a signal.
    public func wait(seconds: Double) -> Bool {
        nb_await_signal(semaphore, Int64(min(max(seconds, 0), 1e9) * 1e9)) == 0
    }
}
