import CFiles
import Foundation

/// A durable file whose bytes a new file may share instead of having them written again (``DurableWriter``).
///
/// Where the file system can, both have the same blocks until one is changed (`ioctl_ficlone(2)`). Otherwise, if
/// `mayBeLinked`, both names lead to the same file, and a write in place changes it under both. May be used from any thread.
public final class DurableFile: Sendable {
    let descriptor: Int32
    let mayBeLinked: Bool
    /// Its attributes when it was opened.
    public let status: Folder.Status

    /// Opens the file `name` below `folder`, which must be durable.
    /// - Throws: `FileError`; `isMissing` if there is no such file.
    public init(_ name: String, in folder: Folder, mayBeLinked: Bool) throws(FileError) {
        (descriptor, status) = try folder.openToShare(name)
        self.mayBeLinked = mayBeLinked
    }

    deinit {
        close(descriptor)
    }

    /// Gives the file another name in `folder`, if it is as a new file there would be (``Permissions``).
    ///
    /// Returns 0, or the error number where that is not possible: on another file system, above the most names of a file,
    /// for a file of another user (`linkat(2)`), and if the name is taken.
    func link(as name: String, in folder: Folder) -> Int32 {
        guard mayBeLinked, let withheld = Self.withheld,
            nb_is_like_new(descriptor, folder.descriptor, Permissions.file & ~withheld) == 1
        else { return EPERM }
        return nb_link_unnamed(descriptor, folder.descriptor, name) == 0 ? 0 : errno
    }

    /// True if a file that replaces `name` in `folder` by this one would keep its attributes, or if there is none to keep.
    func isLike(_ name: String, in folder: Folder) -> Bool {
        let old = nb_open_reference(folder.descriptor, name)
        guard old >= 0 else { return false }
        defer { close(old) }
        return nb_is_like(descriptor, old) == 1
    }

    /// The permissions that the process withholds from new files; nil before Linux 4.7, which does not report them.
    private static let withheld: mode_t? = {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
        return line.flatMap { mode_t($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) }
    }()
}
