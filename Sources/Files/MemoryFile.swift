import CFiles
public import Foundation

/// A file without a name, in memory alone, to hand bytes to a child process and to take its answer.
///
/// Unlike a pipe it keeps nobody waiting, and what a child has written is there after its death.
public final class MemoryFile: Sendable {
    let descriptor: Int32

    /// An empty one of `size` zero bytes.
    /// - Throws: `FileError`.
    public init(size: Int = 0) throws(FileError) {
        descriptor = nb_open_memory("nuke-batch", off_t(size))
        guard descriptor >= 0 else { throw FileError("make", "a file in memory", code: errno) }
    }

    /// The file that is open as `descriptor`: a standard stream, in a child.
    /// - Throws: `FileError`.
    public init(duplicating descriptor: Int32) throws(FileError) {
        self.descriptor = dup(descriptor)
        guard self.descriptor >= 0 else { throw FileError("open", "a standard stream", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// All bytes from `offset` on.
    /// - Throws: `FileError`.
    public func read(from offset: Int = 0) throws(FileError) -> Data {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("examine") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("read", "a standard stream", code: EINVAL)
        }
        let length = Int(status.st_size) - offset
        return try WholeTransfer.read(count: length, from: descriptor, at: offset, path: Self.path)
    }

    /// Writes `data` from `offset` on.
    /// - Throws: `FileError`.
    public func write(_ data: Data, at offset: Int = 0) throws(FileError) {
        try WholeTransfer.write(data, to: descriptor, at: offset, path: Self.path)
    }

    /// Maps its first `count` bytes.
    /// - Throws: `FileError`.
    public func shared(count: Int) throws(FileError) -> SharedBytes {
        try SharedBytes(descriptor: descriptor, path: Self.path, count: count)
    }

    /// What errors call it.
    private static let path = "a file in memory"

    private func failure(_ operation: String) -> FileError {
        FileError(operation, Self.path, code: errno)
    }
}
