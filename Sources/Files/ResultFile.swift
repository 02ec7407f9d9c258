import CFiles
public import Foundation

/// Writes results where people ask for them: to named files and to standard streams.
public enum ResultFile {
    /// Writes `data` to the file at `path`, which then has all of it or its old content.
    ///
    /// A symbolic link stays: its target is replaced. A device or a pipe stays too, and gets the bytes. A file that
    /// replaces another takes over its attributes. Unless it `replaces`, a file that exists stays, and the error is `EEXIST`.
    /// - Throws: `FileError`.
    public static func write(_ data: Data, to path: String, replaces: Bool = true) throws(FileError) {
        try write(Payload(data), to: path, replaces: replaces)
    }

    /// Writes a payload as bytes in memory are.
    /// - Throws: `FileError`.
    public static func write(_ payload: Payload, to path: String, replaces: Bool = true) throws(FileError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        guard replaces || !exists else { throw FileError("write to", path, code: EEXIST) }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            // Without O_NONBLOCK, a pipe that nobody reads would be waited for, possibly for ever; it is ENXIO.
            let stream = nb_open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK, 0)
            guard stream >= 0 else {
                let code = errno
                let isUnread = code == ENXIO && status.st_mode & S_IFMT == S_IFIFO
                throw FileError(isUnread ? "find a reader of the pipe" : "open", path, code: code)
            }
            defer { close(stream) }
            return try payload.forEachPiece { (piece) throws(FileError) in
                try send(piece, to: stream, path: path)
            }
        }
        do throws(FileError) {
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let (parent, last) = Folder.split(target)
            let folder = try Folder(path: parent.map { $0.isEmpty ? "/" : $0 } ?? ".")
            do throws(FileError) {
                try write(payload, to: last, in: folder, replaces: replaces)
            } catch  where error.code == EOPNOTSUPP && !replaces {
                // The file system can only replace; the look above has to do.
                try write(payload, to: last, in: folder, replaces: true)
            }
            try folder.sync()
        } catch {
            // With the path as it was given, in place of a part of it.
            throw FileError("write to", path, code: error.code)
        }
    }

    private static func write(
        _ payload: Payload,
        to name: String,
        in folder: Folder,
        replaces: Bool
    ) throws(FileError) {
        let job = WriteJob(payload: payload, name: name, folder: folder, replaces: replaces) { _ in }
        let new = try NewFile(job, named: name, in: folder)
        _ = try new.sync().name()
    }

    /// Writes all of `data` to an open stream, and waits while it is full.
    ///
    /// `path` names the stream in errors.
    /// - Throws: `FileError`; with the code `EPIPE` if nobody reads any more.
    public static func send(_ data: Data, to stream: Int32, path: String) throws(FileError) {
        var done = 0
        while done < data.count {
            let start = done
            let count = data.withUnsafeBytes { bytes in
                Foundation.write(stream, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                // The other owner of a terminal or pipe may have made it non-blocking.
                var waiting = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw FileError("write to", path, code: errno)
            }
        }
    }
}
