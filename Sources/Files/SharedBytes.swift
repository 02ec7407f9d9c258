import CFiles
import Foundation

/// A memory-mapped file, or its beginning.
///
/// Stored values outlive the process, even if it is killed.
///
/// Nothing is synced: values last until the machine restarts (`mmap(2)`, `MAP_SHARED`). Only one thread at a time may
/// store at an offset; different threads may store at different offsets.
public final class SharedBytes: @unchecked Sendable {  // Stores are atomic.
    /// The number of mapped bytes.
    public let count: Int
    private let start: UnsafeMutableRawPointer

    /// Maps the file at `path`, created (mode 0600) if missing and resized to `count` bytes.
    ///
    /// The disk space is allocated here, so that a full disk is an error now instead of a signal at a later store.
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

    /// Maps the first `count` bytes of an open file of at least that size.
    ///
    /// `path` is used in messages.
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
