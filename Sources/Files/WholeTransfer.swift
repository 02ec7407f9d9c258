import Foundation

/// Reads and writes at an offset of an open file, repeated until complete, because system calls may transfer only a
/// part.
enum WholeTransfer {
    /// Reads up to `count` bytes from `offset` on; fewer if the file ends first.
    ///
    /// `path` names the file in errors.
    /// - Throws: `FileError`.
    static func read(
        count: Int,
        from file: Int32,
        at offset: Int = 0,
        path: @autoclosure () -> String
    ) throws(FileError) -> Data {
        var data = Data(count: max(0, count))
        var done = 0
        while done < data.count {
            let (start, length) = (done, data.count - done)
            let read = data.withUnsafeMutableBytes { buffer in
                pread(file, buffer.baseAddress.map { $0 + start }, length, off_t(offset + start))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw FileError("read", path(), code: errno) }
            guard read > 0 else { return data.prefix(done) }
            done += read
        }
        return data
    }

    /// Writes all of `payload`, a piece of a file at a time.
    ///
    /// `path` names the file in errors.
    /// - Throws: `FileError`.
    static func write(
        _ payload: Payload,
        to file: Int32,
        path: @autoclosure () -> String
    ) throws(FileError) {
        let path = path()
        var offset = 0
        try payload.forEachPiece { (piece) throws(FileError) in
            try write(piece, to: file, at: offset, path: path)
            offset += piece.count
        }
    }

    /// Writes all of `data` at `offset`.
    ///
    /// `path` names the file in errors.
    /// - Throws: `FileError`.
    static func write(
        _ data: Data,
        to file: Int32,
        at offset: Int = 0,
        path: @autoclosure () -> String
    ) throws(FileError) {
        var done = 0
        while done < data.count {
            let start = done
            let written = data.withUnsafeBytes { buffer in
                pwrite(
                    file,
                    buffer.baseAddress.map { $0 + start },
                    buffer.count - start,
                    off_t(offset + start)
                )
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw FileError("write", path(), code: written == 0 ? EIO : errno) }
            done += written
        }
    }
}
