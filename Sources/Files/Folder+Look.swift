import CFiles
import Foundation

/// Looks at files that others may change meanwhile.
extension Folder {
    /// Returns the attributes of `name`, without following a link; nil if it does not exist.
    /// - Throws: `FileError` if that cannot be found out.
    public func examine(_ name: String) throws(FileError) -> Status? {
        try examine(BytePath(name))
    }

    /// Returns the attributes of a file whose name need not be UTF-8, as above.
    /// - Throws: `FileError`.
    public func examine(_ name: BytePath) throws(FileError) -> Status? {
        let file = name.withCString { nb_open_reference(descriptor, $0) }
        guard file >= 0 else {
            let code = errno
            let error = FileError("examine", path(name.description), code: code)
            if error.isMissing { return nil }
            throw error
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let code = errno
            throw FileError("examine", path(name.description), code: code)
        }
        return Status(status)
    }

    /// Returns the length of the file at a path below, -1 if something else is there, or nil if nothing is.
    ///
    /// For a look at many files: it opens none, and symbolic links to folders are followed.
    /// - Throws: `FileError` if that cannot be told, such as `EACCES`, or `ENOTDIR` where a file is in the place of a folder.
    public func sizeOfFile(_ path: String) throws(FileError) -> Int? {
        var status = stat()
        guard fstatat(descriptor, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw FileError("examine", "\(self.path)/\(path)", code: errno) }
            return nil
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : -1
    }

    /// Returns true if the file `name` has `size` bytes with this SHA-256 in hexadecimal; it is read only if the size is right.
    /// - Throws: `FileError` if it cannot be read; a missing file is none.
    public func holds(_ name: String, size: Int, sha256: String) throws(FileError) -> Bool {
        guard let status = try examine(name), !status.isFolder, status.size == size else { return false }
        let digest = RunningDigest()
        var offset = 0
        while true {
            let piece = try read(name, from: offset, count: 1 << 20)
            guard !piece.isEmpty else { break }
            digest.append(piece)
            offset += piece.count
            // It may grow while it is read.
            guard offset <= size else { return false }
        }
        return offset == size && Digest.hex(Data(digest.value)) == sha256
    }
}
