import Foundation

/// A call of the operating system that failed on a file or folder.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb such as `open`, `write`, `sync` or `rename`.
    public let operation: String
    /// The path that it was tried on.
    public let path: String
    /// The system's error number (`errno`).
    public let code: Int32

    /// Describes the failure of `operation` on `path` with the error number `code`.
    public init(_ operation: String, _ path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether the file or a folder on its way is not there.
    public var isMissing: Bool {
        code == ENOENT || code == ENOTDIR
    }

    /// Whether the machine is in the way (no space, no descriptors, no permission, a failing or read-only disk),
    /// so that the same work can succeed later without a change.
    public var isLocalTrouble: Bool {
        [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EACCES, EPERM].contains(code)
    }

    /// One sentence with what failed, where, why, and what to do where that is known.
    public var description: String {
        let reason = String(cString: strerror(code))
        return "cannot \(operation) \(path): \(reason)\(remedy)"
    }

    private var remedy: String {
        switch code {
        case ENOSPC, EDQUOT: "; free some space and run again"
        case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
        case EACCES, EPERM, EROFS: "; check who may write there"
        case ELOOP, EXDEV:
            "; the path leaves its folder or goes through a symbolic link, which is never followed"
        default: ""
        }
    }
}
