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
    private var holdsGiven = false
    /// The durable file that gets one more name, and owns the descriptor; nil for a file of its own.
    private let linked: DurableFile?
    /// True if that name is there already.
    private var hasName = false
    /// The folder and the name that the file has until it gets its own; nil for an unnamed file.
    private var temporary: (folder: Folder, name: String)?

    /// Writes the job's bytes to an unnamed file, or to a temporary name on file systems that have no unnamed files.
    ///
    /// A file that shares the bytes of another gets its name at once, since they are durable.
    init(_ job: WriteJob, named last: String, in parent: Folder) throws(FileError) {
        (self.job, self.parent, self.last) = (job, parent, last)
        if let given = job.file, given.take(toNameIn: parent) {
            (self.given, linked, holdsGiven, descriptor) = (given, nil, true, given.descriptor)
            return
        }
        given = nil
        let source = job.source.flatMap { $0.status.size == job.payload.count ? $0 : nil }
        let sharesBlocks = source != nil && nb_shares_blocks(parent.descriptor) == 1
        // A file that was copied is known to be durable only where whole file systems can be synced.
        if let source, !sharesBlocks, nb_syncs_file_system(parent.descriptor) == 1 {
            var (code, place) = (source.link(as: last, in: parent), nil as (folder: Folder, name: String)?)
            if code == EEXIST, job.replaces, source.isLike(last, in: parent) {
                let free = try Self.freeTemporaryName(of: last, in: parent, job)
                (code, place) = (source.link(as: free.name, in: free.folder), free)
            }
            if code == 0 {
                (linked, temporary, hasName, descriptor) = (source, place, place == nil, source.descriptor)
                return
            }
        }
        linked = nil
        (descriptor, temporary) = try Self.open(job, named: last, in: parent)
        if let source, sharesBlocks, nb_share_blocks(source.descriptor, descriptor) == 0 { return }
        if let whole = job.payload.wholeFile, nb_share_blocks(whole, descriptor) == 0 {
            var status = stat()
            if fstat(descriptor, &status) == 0, Int(status.st_size) == job.payload.count { return }
            // It has changed since it was opened: what is meant is written, or the error tells what is missing.
            guard ftruncate(descriptor, 0) == 0 else { throw FileError("write", job.path, code: errno) }
        }
        try WholeTransfer.write(job.payload, to: descriptor, path: job.path)
    }

    deinit {
        if given == nil, linked == nil { close(descriptor) }
        removeTemporary()
        giveBack()
    }

    /// True if its bytes were durable before.
    var isDurable: Bool { linked != nil }

    func sync() throws(FileError) -> NewFile {
        guard isDurable || fsync(descriptor) == 0 else { throw FileError("sync", job.path, code: errno) }
        return self
    }

    /// Gives the file its name, and the permissions of a file that it replaces.
    ///
    /// The sync of the folder makes both durable: a journal keeps the order of changes to names and to permissions.
    func name() throws(FileError) -> NewFile {
        if hasName { return self }
        if temporary == nil {
            let code = nb_link_unnamed(descriptor, parent.descriptor, last) == 0 ? 0 : errno
            if isNamed(code) {
                holdsGiven = false
                return self
            }
            guard code == EEXIST, job.replaces else {
                // Before the error is known, since the next job of the file may begin then.
                giveBack()
                throw FileError("link", job.path, code: code)
            }
            // Before it can be opened by any name.
            try takeOver()
            let place = try Self.freeTemporaryName(of: last, in: parent, job)
            guard nb_link_unnamed(descriptor, place.folder.descriptor, place.name) == 0 else {
                throw FileError("link", job.path, code: errno)
            }
            (temporary, holdsGiven) = (place, false)
        } else if job.replaces {
            try takeOver()
        }
        guard let place = temporary else { return self }
        guard job.replaces else { return try moveUnlessTaken(place) }
        guard renameat(place.folder.descriptor, place.name, parent.descriptor, last) == 0 else {
            let code = errno
            removeTemporary()
            throw FileError("rename to", job.path, code: code)
        }
        // Between two names of one file, a rename does nothing (`rename(2)`).
        if linked != nil { unlinkat(place.folder.descriptor, place.name, 0) }
        temporary = nil
        return self
    }

    /// Gives a file with a temporary name its own, unless that is taken.
    ///
    /// It is one call: between a look and a rename another process may take the name, and both would believe that the file is theirs.
    private func moveUnlessTaken(_ place: (folder: Folder, name: String)) throws(FileError) -> NewFile {
        let code =
            nb_move_unless_taken(place.folder.descriptor, place.name, parent.descriptor, last) == 0
            ? 0 : errno
        removeTemporary()
        guard isNamed(code) else { throw FileError("link", job.path, code: code) }
        return self
    }

    /// True if a call that ended with `code` has given the file its name.
    ///
    /// A server whose answer was lost is asked again, and refuses what it has done itself (NFS).
    private func isNamed(_ code: Int32) -> Bool {
        guard code == EEXIST else { return code == 0 }
        var (this, named) = (stat(), stat())
        return fstat(descriptor, &this) == 0
            && fstatat(parent.descriptor, last, &named, AT_SYMLINK_NOFOLLOW) == 0
            && (this.st_dev, this.st_ino) == (named.st_dev, named.st_ino)
    }

    /// Takes over the attributes of the file that this one replaces; one that shares its bytes by a name has them already.
    private func takeOver() throws(FileError) {
        guard linked == nil else { return }
        try parent.handOver(last, to: descriptor)
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

    /// Opens an unnamed file, or one with a temporary name on file systems that have no unnamed files.
    private static func open(
        _ job: WriteJob,
        named last: String,
        in parent: Folder
    ) throws(FileError) -> (descriptor: Int32, temporary: (folder: Folder, name: String)?) {
        var file = nb_open_unnamed(parent.descriptor, Permissions.file)
        if file >= 0 { return (file, nil) }
        guard errno == EOPNOTSUPP || errno == EISDIR else { throw FileError("write", job.path, code: errno) }
        let place = try temporaryName(of: last, in: parent, job)
        // A group or an access list comes from the folder in which a file is made.
        let isMadeBeside = [parent, place.folder].contains { nb_hands_down($0.descriptor) == 1 }
        let (folder, name) = isMadeBeside ? (parent, nameBeside(last)) : place
        if isMadeBeside { unlinkat(folder.descriptor, name, 0) }
        file = nb_open_beneath(folder.descriptor, name, O_WRONLY | O_CREAT | O_TRUNC, Permissions.file)
        guard file >= 0 else { throw FileError("write", job.path, code: errno) }
        if isMadeBeside, renameat(folder.descriptor, name, place.folder.descriptor, place.name) != 0 {
            let code = errno
            unlinkat(folder.descriptor, name, 0)
            close(file)
            throw FileError("write", job.path, code: code)
        }
        return (file, place)
    }

    /// As `temporaryName`, without the file that an interrupted write may have left there.
    private static func freeTemporaryName(
        of last: String,
        in parent: Folder,
        _ job: WriteJob
    ) throws(FileError) -> (folder: Folder, name: String) {
        let place = try temporaryName(of: last, in: parent, job)
        unlinkat(place.folder.descriptor, place.name, 0)
        return place
    }

    /// Returns a place in the job's staging folder, or else beside the target.
    private static func temporaryName(
        of last: String,
        in parent: Folder,
        _ job: WriteJob
    ) throws(FileError) -> (folder: Folder, name: String) {
        if let place = try job.staging?.newName(for: parent) { return place }
        return (parent, nameBeside(last))
    }

    /// The temporary name beside a target, derived from it, so that a repeated write removes the leftover of an interrupted one.
    private static func nameBeside(_ last: String) -> String {
        ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp"
    }
}

/// One file to write.
struct WriteJob: Sendable {
    let payload: Payload
    /// A file that holds the same bytes already and only needs its name; nil for none.
    var file: UnnamedFile?
    /// A file with the same bytes that may be shared instead of writing them; nil for none.
    var source: DurableFile?
    let name: String
    let folder: Folder
    /// The folder for a name that the file needs before its own; nil to put it beside that.
    var staging: StagingFolder?
    /// True to replace an existing file.
    let replaces: Bool
    let completion: @Sendable (Result<Void, FileError>) -> Void

    /// The file's path, for messages.
    var path: String { "\(folder.path)/\(name)" }
}
