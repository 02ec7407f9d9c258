import Foundation

extension TemporaryFolder {
    /// Makes a device named `name` in the folder on which every write fails with `ENOSPC`, and returns its path.
    ///
    /// It is not the system's own, which a failing test could replace as root.
    public func makeFullDevice(_ name: String) throws -> String {
        let path = path(name)
        // Only root may make one, and not on every file system.
        if mknod(path, S_IFCHR | 0o666, 0x107) == 0, access(path, W_OK) == 0 { return path }
        unlink(path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
        return path
    }
}
