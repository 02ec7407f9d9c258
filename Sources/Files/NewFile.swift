import CFiles
import Foundation

/// A file that is written but does not have its final name yet.
///
/// Without one, it disappears on release.
final class NewFile {
    let job: WriteJob
    let parent: Folder
    let descriptor: Int32
    private let last: String
    private let isUnnamed: Bool
    /// The job's own file, which holds the bytes already and owns the descriptor; nil if they were written here.
    private let given: UnnamedFile?
    private var isNamed = false

    /// Writes the job's bytes to an unnamed file, or to a temporary name on file systems that have no unnamed files.
    init(_ job: WriteJob, named last: String, in parent: Folder) throws(FileError) {
        if let given = job.file, given.canBeNamed(in: parent) {
            (self.job, self.parent, self.last, descriptor) = (job, parent, last, given.descriptor)
            (self.given, isUnnamed) = (given, true)
            return
        }
        given = nil
        var file = nb_open_unnamed(parent.descriptor, 0o644)
        let isUnnamed = file >= 0
        if !isUnnamed {
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw FileError("write", job.path, code: errno)
            }
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            file = nb_open_beneath(parent.descriptor, Self.temporaryName(of: last), flags, 0o644)
            guard file >= 0 else { throw FileError("write", job.path, code: errno) }
        }
        (self.job, self.parent, self.last, descriptor, self.isUnnamed) = (job, parent, last, file, isUnnamed)
        try WholeTransfer.write(job.data, to: file, path: job.path)
    }

    deinit {
        if given == nil { close(descriptor) }
        if !isNamed, !isUnnamed { unlinkat(parent.descriptor, Self.temporaryName(of: last), 0) }
    }

    func sync() throws(FileError) -> NewFile {
        guard fsync(descriptor) == 0 else { throw FileError("sync", job.path, code: errno) }
        return self
    }

    /// Gives the file its name.
    ///
    /// The sync of the folder makes the name durable.
    func name() throws(FileError) -> NewFile {
        if isUnnamed, nb_link_unnamed(descriptor, parent.descriptor, last) == 0 {
            noteName()
            return self
        }
        let beside = Self.temporaryName(of: last)
        if isUnnamed {
            guard errno == EEXIST, job.replaces else { throw FileError("link", job.path, code: errno) }
            unlinkat(parent.descriptor, beside, 0)
            guard nb_link_unnamed(descriptor, parent.descriptor, beside) == 0 else {
                throw FileError("link", job.path, code: errno)
            }
        }
        // Without unnamed files, two processes may both find the name free at the same time.
        guard job.replaces || faccessat(parent.descriptor, last, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw FileError("link", job.path, code: EEXIST)
        }
        guard renameat(parent.descriptor, beside, parent.descriptor, last) == 0 else {
            let code = errno
            unlinkat(parent.descriptor, beside, 0)
            throw FileError("rename to", job.path, code: code)
        }
        noteName()
        return self
    }

    private func noteName() {
        isNamed = true
        given?.noteName()
    }

    /// Derived from the target's name, so that a repeated write finds and removes the leftover of an interrupted one.
    private static func temporaryName(of last: String) -> String {
        ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp"
    }
}
