import CFiles
public import Foundation

/// An unnamed file in memory, for passing bytes to a child process and receiving its answer.
///
/// Unlike a pipe, it never blocks, and its content outlives the child.
public final class MemoryFile: StandardStream {
    package let descriptor: Int32

    /// Creates a file of `size` zero bytes.
    /// - Throws: `FileError`.
    public init(size: Int = 0) throws(FileError) {
        descriptor = nb_open_memory("nuke-batch", off_t(size))
        guard descriptor >= 0 else { throw FileError("make", "a file in memory", code: errno) }
    }

    /// Duplicates the open `descriptor`: in a child, a standard stream.
    /// - Throws: `FileError`.
    public init(duplicating descriptor: Int32) throws(FileError) {
        self.descriptor = dup(descriptor)
        guard self.descriptor >= 0 else { throw FileError("open", "a standard stream", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the bytes from `offset` on.
    ///
    /// Refuses more than `limit` bytes with `EFBIG`: another process may have made the file of any length.
    /// - Throws: `FileError`.
    public func read(from offset: Int = 0, limit: Int = .max) throws(FileError) -> Data {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("examine") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError("read", "a standard stream", code: EINVAL)
        }
        let length = Int(status.st_size) - offset
        guard length <= limit else { throw FileError("read", Self.path, code: EFBIG) }
        return try WholeTransfer.read(count: length, from: descriptor, at: offset, path: Self.path)
    }

    /// Returns the first `count` bytes, however long the file is; fewer if it ends before.
    /// - Throws: `FileError`.
    public func readBeginning(_ count: Int) throws(FileError) -> Data {
        try WholeTransfer.read(count: count, from: descriptor, path: Self.path)
    }

    /// Writes `data` at `offset`.
    /// - Throws: `FileError`.
    public func write(_ data: Data, at offset: Int = 0) throws(FileError) {
        try WholeTransfer.write(data, to: descriptor, at: offset, path: Self.path)
    }

    /// Maps the first `count` bytes.
    /// - Throws: `FileError`.
    public func shared(count: Int) throws(FileError) -> SharedBytes {
        try SharedBytes(descriptor: descriptor, path: Self.path, count: count)
    }

    /// The path in error messages.
    private static let path = "a file in memory"

    private func failure(_ operation: String) -> FileError {
        FileError(operation, Self.path, code: errno)
    }
}
