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
        var data = Data(count: max(0, Int(status.st_size) - offset))
        var done = 0
        while done < data.count {
            let (start, length) = (done, data.count - done)
            let read = data.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + start }, length, off_t(offset + start))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failure("read") }
            guard read > 0 else { return data.prefix(done) }
            done += read
        }
        return data
    }

    /// Writes `data` from `offset` on.
    /// - Throws: `FileError`.
    public func write(_ data: Data, at offset: Int = 0) throws(FileError) {
        var done = 0
        while done < data.count {
            let start = done
            let written = data.withUnsafeBytes { buffer in
                pwrite(
                    descriptor,
                    buffer.baseAddress.map { $0 + start },
                    buffer.count - start,
                    off_t(offset + start)
                )
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure("write") }
            done += written
        }
    }

    /// Maps its first `count` bytes.
    /// - Throws: `FileError`.
    public func shared(count: Int) throws(FileError) -> SharedBytes {
        try SharedBytes(descriptor: descriptor, path: "a file in memory", count: count)
    }

    private func failure(_ operation: String) -> FileError {
        FileError(operation, "a file in memory", code: errno)
    }
}
