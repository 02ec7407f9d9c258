import CFiles
public import Foundation

/// A file that is written incrementally and held by one process at a time.
///
/// Holding is an `flock(2)` lock, which the kernel releases when the process ends for any reason. May be used from any
/// thread.
public final class HeldFile: StandardStream {
    /// The most bytes copied at a time.
    private static let pieceSize = 256 * 1024

    private let folder: Folder
    private let name: String
    package let descriptor: Int32

    /// Opens and holds the file `name` below `folder`.
    ///
    /// With `create`, creates it with `permissions` if it is missing.
    ///
    /// Nil if the file does not exist or is held elsewhere.
    /// - Throws: `FileError`.
    public init?(
        _ name: String,
        in folder: Folder,
        create: Bool = false,
        permissions: UInt32 = Permissions.privateFile
    ) throws(FileError) {
        self.folder = folder
        self.name = name
        while true {
            let flags = O_RDWR | O_NONBLOCK | (create ? O_CREAT : 0)
            let file = nb_open_beneath(folder.descriptor, name, flags, permissions)
            if file < 0, errno == ENOENT, !create { return nil }
            guard file >= 0 else { throw FileError("open", "\(folder.path)/\(name)", code: errno) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(file)
                if code == EWOULDBLOCK { return nil }
                throw FileError("lock", "\(folder.path)/\(name)", code: code)
            }
            var status = stat()
            if fstat(file, &status) == 0, status.st_nlink > 0 {
                descriptor = file
                return
            }
            // Its last holder removed it between the two calls.
            close(file)
        }
    }

    deinit {
        // As in `FileLock`: a child that is being started has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the first `count` bytes; all of them if there are fewer.
    /// - Throws: `FileError`.
    public func read(count: Int) throws(FileError) -> Data {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("examine", errno) }
        let length = min(count, Int(status.st_size))
        return try WholeTransfer.read(count: length, from: descriptor, path: path)
    }

    /// Maps the first `count` bytes, or all of them if there are fewer.
    ///
    /// While it is held, nobody may cut it shorter.
    /// - Throws: `FileError`.
    public func mapped(count: Int) throws(FileError) -> MappedFile {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("examine", errno) }
        return try MappedFile(descriptor: descriptor, count: min(count, Int(status.st_size)), path: path)
    }

    /// Copies `range` of `source` to the same place here and truncates the file after it, durably as `write` does.
    ///
    /// `each` receives the pieces in order, none of which is large.
    /// - Throws: `FileError`.
    public func copy(_ range: Range<Int>, of source: UnnamedFile, _ each: (Data) -> Void) throws(FileError) {
        guard ftruncate(descriptor, off_t(range.lowerBound)) == 0 else { throw failure("cut", errno) }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = try source.read(offset..<min(offset + Self.pieceSize, range.upperBound))
            guard !piece.isEmpty else { throw failure("copy to", EIO) }
            try WholeTransfer.write(piece, to: descriptor, at: offset, path: path)
            each(piece)
            offset += piece.count
        }
        guard fdatasync(descriptor) == 0 else { throw failure("sync", errno) }
    }

    /// Writes `data` at `offset` and truncates the file after it.
    ///
    /// On return, the bytes are durable, but not the name of a newly created file.
    /// - Throws: `FileError`.
    public func write(_ data: Data, at offset: Int) throws(FileError) {
        guard ftruncate(descriptor, off_t(offset)) == 0 else { throw failure("cut", errno) }
        try WholeTransfer.write(data, to: descriptor, at: offset, path: path)
        guard fdatasync(descriptor) == 0 else { throw failure("sync", errno) }
    }

    /// Syncs what a child process has written to the file, its standard output.
    /// - Throws: `FileError`.
    public func sync() throws(FileError) {
        guard fdatasync(descriptor) == 0 else { throw failure("sync", errno) }
    }

    /// Removes the file.
    ///
    /// It is held until the last reference is released. The removal is not synced.
    /// - Throws: `FileError`.
    public func remove() throws(FileError) {
        try folder.remove(name)
    }

    private func failure(_ what: String, _ code: Int32) -> FileError {
        FileError(what, path, code: code)
    }

    private var path: String { "\(folder.path)/\(name)" }
}
