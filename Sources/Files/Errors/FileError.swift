import Foundation

/// A system call on a file or folder that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed, as a verb such as `open`, `write`, `sync` or `rename`.
    public let operation: String
    /// The path of the file or folder.
    public let path: String
    /// The system's error number (`errno`).
    public let code: Int32

    /// Creates an error for `operation` on `path` with the error number `code`.
    public init(_ operation: String, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// True if the file or one of its parent folders does not exist.
    ///
    /// Only then: a file in the place of a folder (`ENOTDIR`) or a link to something missing (`ENOLINK`) is trouble.
    public var isMissing: Bool { code == ENOENT }

    /// True for a local problem (no space, no descriptors, no threads, no permission, a file system that fails, is
    /// read-only or is not mounted where a link leads).
    ///
    /// The same work can succeed later without a change.
    public var isLocalTrouble: Bool {
        [
            ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EAGAIN, EACCES, EPERM, ESTALE, ENOTCONN,
            ETIMEDOUT, EBUSY, ENOLINK,
        ].contains(code)
    }

    /// True if the name itself cannot be used: a symbolic link, a path that leaves its folder, or a name that is too long.
    public var isAboutName: Bool { [ELOOP, EXDEV, ENAMETOOLONG].contains(code) }

    /// The operation, the path and the reason, with a remedy if there is one.
    public var description: String {
        // Nothing else here gives ENOLINK, whose usual text speaks of networks.
        let reason = code == ENOLINK ? "the link leads to something missing" : String(cString: strerror(code))
        return "cannot \(operation) \(path): \(reason)\(remedy)"
    }

    private var remedy: String {
        switch code {
        case ENOSPC, EDQUOT: "; free some space and run again"
        case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
        case EAGAIN: "; raise the limits of processes (ulimit -u, pids.max) and of memory (ulimit -v)"
        case EACCES, EPERM: "; check the permissions\(Self.containerRemedy)"
        case ESTALE, ENOTCONN, ETIMEDOUT: "; check that the file system is mounted and answers, and run again"
        case EROFS: "; the file system is mounted read-only: choose another folder"
        case ENOTDIR: "; a file stands where a folder is needed: move it away, or choose another folder"
        case ENAMETOOLONG: "; choose a shorter path"
        case EIO: "; check the disk (dmesg), and run again"
        case ENOLINK: "; mount the disk that it leads to, or correct the link"
        case ELOOP:
            "; the path has symbolic links that lead in a circle, or one where links are not followed: correct it"
        case EXDEV: "; the path leaves its folder or contains a symbolic link, and links are not followed"
        default: ""
        }
    }

    /// The option by which a container runs as the owner of a folder of the host, whose users it does not know; empty elsewhere.
    private static var containerRemedy: String {
        let marks = ["/.dockerenv", "/run/.containerenv"]
        guard marks.contains(where: { access($0, F_OK) == 0 }) else { return "" }
        return #", or run the container as the folder's owner: -u "$(id -u):$(id -g)""#
    }
}
