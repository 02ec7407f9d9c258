import CFiles
import Foundation

/// A private folder (mode 0700) for files that are needed only while they are worked on, removed with the last reference.
///
/// A process that is killed leaves its folder behind. One at a fixed path is removed by whoever holds the lock that guards the
/// path; one with a name of its own holds a lock on itself (`flock(2)`, freed by the kernel however the process ends), and
/// the next process that makes such a folder removes those whose lock is free. May be used from any thread.
public final class ScratchFolder: Sendable {
    /// The folder's path.
    public let path: String
    /// Holds the lock of a folder with a name of its own; nil at a fixed path.
    private let descriptor: Int32?

    /// Makes the folder at `path` in place of a leftover; the caller holds a lock, so that no other process uses the path.
    /// - Throws: `FileError`.
    public init(path: String) throws(FileError) {
        Self.removeLeftover(at: path)
        guard mkdir(path, 0o700) == 0 else { throw FileError("make the folder", path, code: errno) }
        (self.path, descriptor) = (path, nil)
    }

    /// Makes a folder called `prefix` and something unique in `parent`, and removes those of the same prefix that dead
    /// processes of this user have left there.
    /// - Throws: `FileError`.
    public init(prefix: String, in parent: String) throws(FileError) {
        let names = try? Folder(path: parent, create: true).names()
        for name in names ?? [] where name.hasPrefix(prefix + "-") { Self.sweep("\(parent)/\(name)") }
        while true {
            let path = "\(parent)/\(prefix)-\(UUID().uuidString)"
            guard mkdir(path, 0o700) == 0 else { throw FileError("make the folder", path, code: errno) }
            let descriptor = Self.open(path)
            guard descriptor >= 0 || errno == ENOENT else {
                let code = errno
                rmdir(path)
                throw FileError("open the folder", path, code: code)
            }
            if descriptor >= 0, Self.hold(descriptor), Self.isSame(descriptor, path) {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            // Another process took it for a leftover before it was locked.
            if descriptor >= 0 { close(descriptor) }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        guard let descriptor else { return }
        // A child process that is just being started has a copy of the descriptor until it runs its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Removes what a dead process has left at a fixed path; the caller holds the lock that guards it.
    public static func removeLeftover(at path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes the folder at `path` if its process is dead.
    private static func sweep(_ path: String) {
        let folder = open(path)
        guard folder >= 0 else { return }
        defer { close(folder) }
        var status = stat()
        // In a folder that others may write to, a name can become another file's while this looks.
        guard fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0,
            flock(folder, LOCK_EX | LOCK_NB) == 0
        else { return }
        removeLeftover(at: path)
    }

    private static func open(_ path: String) -> Int32 {
        nb_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    }

    /// Takes the lock; false where another process has it.
    ///
    /// On a file system without such locks nothing is swept.
    private static func hold(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }
}
