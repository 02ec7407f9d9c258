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
    /// The job's own file, which holds the bytes already and owns the descriptor; nil if they were written here.
    private let given: UnnamedFile?
    /// True until that file gets its name, or may get it from another job.
    private var holdsGiven: Bool
    /// The folder and the name that the file has until it gets its own; nil for an unnamed file.
    private var temporary: (folder: Folder, name: String)?

    /// Writes the job's bytes to an unnamed file, or to a temporary name on file systems that have no unnamed files.
    init(_ job: WriteJob, named last: String, in parent: Folder) throws(FileError) {
        if let given = job.file, given.take(toNameIn: parent) {
            (self.job, self.parent, self.last, descriptor) = (job, parent, last, given.descriptor)
            (self.given, holdsGiven) = (given, true)
            return
        }
        (given, holdsGiven) = (nil, false)
        var file = nb_open_unnamed(parent.descriptor, 0o644)
        var temporary: (folder: Folder, name: String)?
        if file < 0 {
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw FileError("write", job.path, code: errno)
            }
            let place = try Self.temporaryName(of: last, in: parent, job)
            let flags = O_WRONLY | O_CREAT | O_TRUNC
            file = nb_open_beneath(place.folder.descriptor, place.name, flags, 0o644)
            guard file >= 0 else { throw FileError("write", job.path, code: errno) }
            temporary = place
        }
        (self.job, self.parent, self.last, descriptor) = (job, parent, last, file)
        self.temporary = temporary
        try WholeTransfer.write(job.data, to: file, path: job.path)
    }

    deinit {
        if given == nil { close(descriptor) }
        removeTemporary()
        giveBack()
    }

    func setPermissions(_ mode: mode_t) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else {
            throw FileError("set the permissions of", job.path, code: errno)
        }
    }

    func sync() throws(FileError) -> NewFile {
        guard fsync(descriptor) == 0 else { throw FileError("sync", job.path, code: errno) }
        return self
    }

    /// Gives the file its name.
    ///
    /// The sync of the folder makes the name durable.
    func name() throws(FileError) -> NewFile {
        if temporary == nil {
            if nb_link_unnamed(descriptor, parent.descriptor, last) == 0 {
                holdsGiven = false
                return self
            }
            guard errno == EEXIST, job.replaces else {
                let code = errno
                // Before the error is known, since the next job of the file may begin then.
                giveBack()
                throw FileError("link", job.path, code: code)
            }
            let place = try Self.temporaryName(of: last, in: parent, job)
            unlinkat(place.folder.descriptor, place.name, 0)
            guard nb_link_unnamed(descriptor, place.folder.descriptor, place.name) == 0 else {
                throw FileError("link", job.path, code: errno)
            }
            (temporary, holdsGiven) = (place, false)
        }
        guard let place = temporary else { return self }
        // Without unnamed files, two processes may both find the name free at the same time.
        guard job.replaces || faccessat(parent.descriptor, last, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
            throw FileError("link", job.path, code: EEXIST)
        }
        guard renameat(place.folder.descriptor, place.name, parent.descriptor, last) == 0 else {
            let code = errno
            removeTemporary()
            throw FileError("rename to", job.path, code: code)
        }
        temporary = nil
        return self
    }

    private func giveBack() {
        guard holdsGiven else { return }
        holdsGiven = false
        given?.giveBack()
    }

    private func removeTemporary() {
        if let place = temporary { unlinkat(place.folder.descriptor, place.name, 0) }
        temporary = nil
    }

    /// Returns a place in the job's staging folder, or else beside the target.
    ///
    /// There, the name is derived from the target's, so that a repeated write removes the leftover of an interrupted one.
    private static func temporaryName(
        of last: String,
        in parent: Folder,
        _ job: WriteJob
    ) throws(FileError) -> (folder: Folder, name: String) {
        if let place = try job.staging?.newName(for: parent) { return place }
        return (parent, ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp")
    }
}
