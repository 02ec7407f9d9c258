import Foundation

/// The question whether something is at a path of this machine.
///
/// Nothing is there only if a folder that can be searched has no such name (`ENOENT`). A folder that may not be searched, a file in
/// the place of a folder, links in a circle, a link to a disk that is not mounted and a device that fails are errors: what the path
/// should lead to may well exist.
public enum Presence {
    /// Returns the attributes of what `path` leads to, links followed; nil if nothing is there.
    /// - Throws: `FileError` if that cannot be found out.
    public static func status(of path: String) throws(FileError) -> Folder.Status? {
        var found = stat()
        if stat(path, &found) == 0 { return Folder.Status(found) }
        let error = FileError("examine", following: path, code: errno)
        guard error.isMissing else { throw error }
        return nil
    }

    /// Returns true if something is at `path`, links followed.
    /// - Throws: `FileError` if that cannot be found out.
    public static func exists(_ path: String) throws(FileError) -> Bool {
        try status(of: path) != nil
    }

    /// Opens the folder at `path`; nil if nothing is there.
    /// - Throws: `FileError` if it is no folder, and if that cannot be found out.
    public static func folder(_ path: String) throws(FileError) -> Folder? {
        do {
            return try Folder(path: path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Checks that this process may read the file at `path`, without opening it.
    ///
    /// Closing a database that SQLite has open elsewhere in the process would release its locks (`fcntl(2)`).
    /// - Throws: `FileError`.
    public static func requireReadable(_ path: String) throws(FileError) {
        guard faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
            throw FileError("read", following: path, code: errno)
        }
    }
}

extension FileError {
    /// Creates the error of a call on `path` that follows links.
    ///
    /// The system says of a link to something missing that nothing is there (`ENOENT`). Here it is an error of its own, `ENOLINK`,
    /// whose path has the link and its target.
    init(_ operation: String, following path: String, code: Int32) {
        guard code == ENOENT, let link = Self.deadLink(in: path) else {
            self.init(operation, path, code: code)
            return
        }
        self.init(operation, link, code: ENOLINK)
    }

    /// The first link on the way to `path` whose target is missing, and the target.
    private static func deadLink(in path: String) -> String? {
        var place = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in path.parts(at: "/") where !part.isEmpty {
            place += (place.isEmpty || place == "/" ? "" : "/") + part
            var status = stat()
            guard lstat(place, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFLNK, stat(place, &status) != 0, errno == ENOENT else {
                continue
            }
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place)
            return "\(place) -> \(target ?? "?")"
        }
        return nil
    }
}
