import CFiles
import Foundation

/// A lock on a file that one process holds at a time, freed by the kernel when that process ends, however it ends.
///
/// It is `flock(2)`, so it belongs to this object's descriptor: two locks of one path exclude each other
/// in one process as well. The file stays, as removing it would let two processes lock two files of one name.
public final class FileLock: Sendable {
    /// Why a lock was not taken.
    public enum Failure: Error, Sendable {
        /// Somebody else holds it: the process id that it wrote into the file, if it can be read.
        case held(by: Int32?)
        /// The file cannot be opened, made or locked.
        case file(FileError)
    }

    private let descriptor: Int32

    /// Takes the lock at `path` without waiting, making the file (mode 0600) where it is missing.
    /// - Throws: `Failure`.
    public init(path: String) throws(Failure) {
        let file = nb_open(path, O_RDWR | O_CREAT, 0o600)
        guard file >= 0 else { throw .file(FileError("open the lock", path, code: errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { close(file) }
            guard code == EWOULDBLOCK else { throw .file(FileError("lock", path, code: code)) }
            throw .held(by: Self.holder(file))
        }
        descriptor = file
        let text = Array("\(getpid())\n".utf8)
        // Only a hint for people: the lock itself is the kernel's, so a failed write is no failure.
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
    }

    deinit {
        // A child process that is just being started has a copy of the descriptor until it runs its program: closing ours alone
        // would leave it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func holder(_ file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
