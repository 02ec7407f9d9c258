import CFiles
import Foundation

/// A lock on a file that only one process holds at a time.
///
/// The kernel releases it when the process ends for any reason.
///
/// It is an `flock(2)` lock and belongs to this object's descriptor, so two locks of one path also exclude each other
/// within a process. The file is never removed, because two processes could then lock two files of the same name.
public final class FileLock: Sendable {
    /// The reason that a lock was not taken.
    public enum Failure: Error, Sendable {
        /// Another process holds the lock. Its process id, if the file contains one.
        case held(by: Int32?)
        /// The file cannot be opened, created or locked.
        case file(FileError)
    }

    private let descriptor: Int32

    /// Takes the lock at `path` without waiting.
    ///
    /// Creates the file (mode 0600) if it is missing. A symbolic link is refused, since its target would be overwritten.
    /// - Throws: `Failure`.
    public init(path: String) throws(Failure) {
        let file = nb_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .file(FileError("open the lock", path, code: errno)) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            defer { close(file) }
            guard code == EWOULDBLOCK else { throw .file(FileError("lock", path, code: code)) }
            throw .held(by: Self.holder(file))
        }
        descriptor = file
        let text = Array("\(getpid())\n".utf8)
        // The process id is only information, so a failed write is not an error: the kernel holds the lock itself.
        _ = ftruncate(file, 0)
        _ = pwrite(file, text, text.count, 0)
    }

    deinit {
        // A child process that is being started has a copy of the descriptor until it executes its program. Closing
        // ours alone would leave the lock to it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the process id that the holder wrote into the file.
    ///
    /// The holder writes it just after it took the lock: until then, the file is empty or names a process that has ended.
    private static func holder(_ file: Int32) -> Int32? {
        var process = writtenProcess(file)
        for _ in 0..<60 where process.map({ $0 < 1 || (kill($0, 0) != 0 && errno == ESRCH) }) ?? true {
            usleep(5000)
            process = writtenProcess(file)
        }
        return process
    }

    private static func writtenProcess(_ file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
