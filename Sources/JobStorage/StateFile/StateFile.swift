import Files
import Foundation
import SQLite

/// The file of a state and its folder: permissions, lock and creation.
struct StateFile {
    let path: String
    private let folder: String

    init(path: String) {
        self.path = path
        folder = Folder.enclosing(path)
    }

    /// The path of the lock file: `thumbnails.lock` beside `thumbnails.sqlite`.
    var lockPath: String { (path as NSString).deletingPathExtension + ".lock" }

    /// True if there is such a file.
    /// - Throws: `FileError` if that cannot be found out.
    var exists: Bool { get throws(FileError) { try Presence.exists(path) } }

    /// True if the write-ahead log, which a clean end empties, holds commits.
    var hasLog: Bool { get throws(FileError) { try size(of: path + "-wal") > 0 } }

    /// The size of the file and of its write-ahead log, in bytes.
    var byteCount: Int { get throws(FileError) { try size(of: path) + size(of: path + "-wal") } }

    /// The permissions of a missing folder: others never write in it, and look into `.nuke-batch` neither.
    private var folderPermissions: UInt32 {
        (folder as NSString).lastPathComponent == ".nuke-batch" ? Permissions.privateFolder : 0o755
    }

    /// Creates a missing folder and refuses one that others may write in.
    func prepareFolder() throws(JobStoreError) {
        do throws(FileError) {
            let isNew = try !Presence.exists(folder)
            _ = try Folder(path: folder, create: true, permissions: folderPermissions)
            if isNew { try Folder(path: Folder.enclosing(folder)).sync() }
        } catch {
            throw .notWritable(path: folder, detail: error.description)
        }
        let found: UInt32?
        do throws(FileError) { found = try Presence.status(of: folder)?.permissions } catch {
            throw .notWritable(path: folder, detail: error.description)
        }
        guard let permissions = found else { throw .notWritable(path: folder, detail: "it was removed") }
        guard permissions & 0o022 == 0 else { throw .notPrivate(path: folder, permissions: Int(permissions)) }
    }

    /// Locks the job for this process.
    func lock() throws(JobStoreError) -> FileLock {
        do {
            return try FileLock(path: lockPath)
        } catch {
            switch error {
            case .held(let holder): throw .locked(by: holder, path: path)
            case .file(let error): throw .notWritable(path: folder, detail: error.description)
            }
        }
    }

    /// Creates the file and then renames it, so that an empty or incomplete state is always damage, never a new start.
    func create() throws {
        // SQLite would apply a log without its database to the new one.
        for name in [path + "-wal", path + "-shm"] { try? Self.remove(name) }
        let draft = StateFile(path: path + ".new")
        try? draft.remove()
        // Nothing is left of a draft that cannot be finished, as on a full disk.
        defer { try? draft.remove() }
        let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: permissions)
        else {
            throw JobStoreError.notWritable(path: folder, detail: "the file \(draft.path) cannot be created")
        }
        let database = try Database(path: draft.path) {
            try $0.migrate(Schema.migrations, applicationID: Schema.applicationID, path: draft.path)
        }
        try database.closeWhole()
        do {
            try FileManager.default.moveItem(atPath: draft.path, toPath: path)
        } catch {
            throw JobStoreError.notWritable(path: folder, detail: error.localizedDescription)
        }
        try syncFolder()
    }

    /// Makes the names in the folder durable.
    func syncFolder() throws(FileError) {
        try Folder(path: folder).sync()
    }

    /// Removes the state; the cache and the outputs stay.
    func remove() throws(JobStoreError) {
        // The log first: it must not be left without its database.
        for name in [path + "-wal", path + "-shm", path] {
            do throws(FileError) {
                if try Presence.exists(name) { try Self.remove(name) }
            } catch {
                throw .notWritable(path: name, detail: error.description)
            }
        }
    }

    /// Removes a file, but no folder: whatever a command line says, all that is in one stays.
    /// - Throws: `FileError`.
    private static func remove(_ path: String) throws(FileError) {
        // The path's bytes live as long as the call, which keeps nothing of them.
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw FileError("remove", path, code: errno)
        }
    }

    /// Removes all permissions of others, as after a careless copy.
    func protect() {
        // A state that cannot be examined is not opened either.
        guard let found = try? Presence.status(of: path), found.permissions & 0o077 != 0 else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Refuses an empty file, which SQLite would treat as a new database.
    func refuseEmpty() throws {
        guard try size(of: path) > 0 else {
            throw JobStoreError.damaged(path: path, detail: "the file is empty")
        }
    }

    /// Refuses a database that is no state of a job; SQLite detects other damage.
    func examine(_ connection: Connection) throws {
        let isOurs = try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID)
        guard isOurs else { throw JobStoreError.damaged(path: path, detail: "it is not the state of a job") }
    }

    /// Returns the version of the schema.
    /// - Throws: `MigrationError` for one of a later release; `SQLiteError`.
    func version(_ connection: Connection) throws -> Int {
        let (version, known) = (Int(try connection.integer("PRAGMA user_version")), Schema.migrations.count)
        guard version <= known else { throw MigrationError.newer(found: version, known: known, path: path) }
        return version
    }

    private func size(of path: String) throws(FileError) -> Int {
        try Presence.status(of: path)?.size ?? 0
    }
}
