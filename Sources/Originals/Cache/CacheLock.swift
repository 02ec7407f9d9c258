import Files
import Foundation

/// A lock between the processes that share a cache, which waits for its turn.
///
/// It is `flock(2)` on a descriptor of its own, so two objects exclude each other in one process as well, and
/// the kernel frees it when its process ends, however it ends.
final class CacheLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the lock at `path` without taking it, and creates the file if it is missing; a symbolic link is refused.
    init(path: String) throws(FileError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileError("open the lock", path, code: errno) }
        descriptor = file
        self.path = path
    }

    deinit {
        // As in `FileLock`: a child that is just being started has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Runs `body` while no other holder has the lock, waiting for it.
    func hold(_ body: () throws -> Void) throws {
        try take(LOCK_EX)
        defer { flock(descriptor, LOCK_UN) }
        try body()
    }

    /// Takes the lock together with others that share it.
    func share() throws(FileError) {
        try take(LOCK_SH)
    }

    /// Returns true if no other process holds or shares the lock; in either case, it is not held afterwards.
    func isAlone() -> Bool {
        defer { flock(descriptor, LOCK_UN) }
        return (try? take(LOCK_EX | LOCK_NB)) != nil
    }

    private func take(_ operation: Int32) throws(FileError) {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { throw FileError("lock", path, code: errno) }
        }
    }
}
