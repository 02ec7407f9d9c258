public import Foundation

/// A file's bytes mapped into memory: the kernel loads them when they are read, and they take memory from then on.
///
/// Writing to its data changes a copy, never the file. The file must not become shorter, since the kernel ends a process
/// that reads a mapped page behind the end (`mmap(2)`); map only files that no one else writes. May be used from any
/// thread.
public final class MappedFile: @unchecked Sendable {
    // Sendable because the address and the length never change, and the bytes belong to `data`.
    /// The length in bytes.
    public let count: Int
    private let start: UnsafeMutableRawPointer
    private let path: String

    /// Maps the first `count` bytes of an open file; `path` is used in messages.
    /// - Throws: `FileError`.
    init(descriptor: Int32, count: Int, path: String) throws(FileError) {
        let flags = MAP_PRIVATE | MAP_NORESERVE
        let address = mmap(nil, max(count, 1), PROT_READ | PROT_WRITE, flags, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw FileError("map", path, code: errno) }
        start = address
        self.count = count
        self.path = path
        madvise(address, max(count, 1), MADV_SEQUENTIAL)
    }

    deinit {
        munmap(start, max(count, 1))
    }

    /// The bytes, which keep the mapping.
    public var data: Data {
        Data(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
        )
    }

    /// Loads all bytes, so that a disk that cannot read them is an error here and not the end of the process.
    ///
    /// Without effect before Linux 5.14.
    /// - Throws: `FileError`.
    public func load() throws(FileError) {
        // MADV_POPULATE_READ, which glibc 2.36 does not name.
        guard count > 0, madvise(start, count, 22) != 0, errno != EINVAL else { return }
        throw FileError("read", path, code: errno == ENOMEM ? ENOMEM : EIO)
    }

    /// Gives the memory back; the bytes are loaded again when they are read again.
    ///
    /// Call it only while nobody has changed the data.
    public func releaseMemory() {
        madvise(start, max(count, 1), MADV_DONTNEED)
    }
}
