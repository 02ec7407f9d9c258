import CFiles
import Foundation

/// A file, or its beginning, mapped into memory: what is stored there outlives the process, however it ends.
///
/// Nothing is synced: it lasts until the machine is started anew (`mmap(2)`, `MAP_SHARED`). Stores to one place are
/// for one thread at a time; different places may be used by different threads.
public final class SharedBytes: @unchecked Sendable {  // Stores are atomic.
    /// How many bytes are mapped.
    public let count: Int
    private let start: UnsafeMutableRawPointer

    /// Maps the file at `path`, which is made (mode 0600) where it is missing, and cut or grown to `count` bytes.
    ///
    /// The bytes are there before they are stored to: a full disk is an error here, and no signal later.
    /// - Throws: `FileError`.
    public convenience init(path: String, count: Int) throws(FileError) {
        let file = nb_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError("open", path, code: errno) }
        defer { close(file) }
        guard ftruncate(file, off_t(count)) == 0 else { throw FileError("cut", path, code: errno) }
        let error = posix_fallocate(file, 0, off_t(count))
        guard error == 0 else { throw FileError("make room for", path, code: error) }
        try self.init(descriptor: file, path: path, count: count)
    }

    /// Maps the first `count` bytes of an open file that has as many; `path` is for messages.
    /// - Throws: `FileError`.
    public init(descriptor: Int32, path: String, count: Int) throws(FileError) {
        let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw FileError("map", path, code: errno) }
        start = address
        self.count = count
    }

    deinit {
        munmap(start, count)
    }

    /// Stores a number at `offset`, a multiple of 8 below `count`.
    public func store(_ value: Int64, at offset: Int) {
        precondition(offset >= 0 && offset % 8 == 0 && offset + 8 <= count)
        nb_store(start.advanced(by: offset).assumingMemoryBound(to: Int64.self), value)
    }
}
