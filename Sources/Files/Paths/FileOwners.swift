import Foundation

/// The question who else can put something at a path.
public enum FileOwners {
    /// The most links on the way to a file (path_resolution(7)).
    private static let mostLinks = 40

    /// Returns a sentence about the first part of an absolute path that somebody other than this process's user and root can
    /// write to; nil if there is none.
    ///
    /// Folders, links and the file itself count, and what links lead to. In a folder with the sticky bit, such as `/tmp`, others
    /// can add names but not change those of this user (`unlink(2)`). An access list shows in the group's permissions
    /// (`acl(5)`).
    /// - Throws: `FileError` if a part cannot be examined.
    public static func stranger(at path: String) throws(FileError) -> String? {
        var links = 0
        return try stranger(at: path, &links)
    }

    private static func stranger(at path: String, _ links: inout Int) throws(FileError) -> String? {
        var parts: [String] = []
        var rest = path.parts(at: "/").map { String($0) }.filter { !$0.isEmpty }[...]
        while true {
            let place = "/" + parts.joined(separator: "/")
            var status = stat()
            guard lstat(place, &status) == 0 else {
                throw FileError("examine", following: place, code: errno)
            }
            guard status.st_uid == 0 || status.st_uid == geteuid() else {
                return "\(place) belongs to user \(status.st_uid)"
            }
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= mostLinks else { throw FileError("examine", place, code: ELOOP) }
                guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else {
                    throw FileError("examine", place, code: ENOENT)
                }
                let isAbsolute = target.utf8.first == UInt8(ascii: "/")
                let before = isAbsolute ? [] : parts.dropLast()
                return try stranger(at: "/" + (before + [target] + rest).joined(separator: "/"), &links)
            }
            // A folder in which others can only add names: those that this process uses are looked at next.
            let isSticky =
                status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
                && status.st_mode & 0o022 != 0
            guard status.st_mode & 0o022 == 0 || isSticky else {
                return "\(place) can be written to by others"
            }
            guard let part = rest.popFirst() else {
                return isSticky ? "others can add files to \(place)" : nil
            }
            // The folder above was examined on the way.
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
        }
    }
}
