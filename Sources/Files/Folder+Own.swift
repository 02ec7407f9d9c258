import Foundation

extension Folder {
    /// Opens the folder `name` below this one, which belongs to this process's user, and which nobody else may enter.
    ///
    /// A link is not followed. With `creates`, a missing one is made with mode 0700.
    /// - Returns: The folder; nil if it is missing.
    /// - Throws: `FileError`; `EPERM` for a folder of another user, or one that others may enter.
    public func ownFolder(_ name: String, creates: Bool) throws(FileError) -> Folder? {
        if creates, mkdirat(descriptor, name, Permissions.privateFolder) != 0, errno != EEXIST {
            throw FileError("make the folder", "\(path)/\(name)", code: errno)
        }
        let opened: Folder
        do {
            opened = try folder(name)
        } catch {
            guard error.isMissing, !creates else { throw error }
            return nil
        }
        var status = stat()
        guard fstat(opened.descriptor, &status) == 0 else {
            throw FileError("examine the folder", opened.path, code: errno)
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw FileError("use the folder", opened.path, code: EPERM)
        }
        return opened
    }
}
