import Files
import Foundation
import SQLite

/// The state's file and its folder: who may write there, and how the file comes into being.
struct StateFile {
    let path: String
    private let folder: String

    init(path: String) {
        self.path = path
        let parent = (path as NSString).deletingLastPathComponent
        folder = parent.isEmpty ? "." : parent
    }

    /// `thumbnails.lock` beside `thumbnails.sqlite`.
    var lockPath: String {
        (path as NSString).deletingPathExtension + ".lock"
    }

    var exists: Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// Whether commits wait in the write-ahead log, which a clean end empties.
    var hasLog: Bool {
        size(of: path + "-wal") > 0
    }

    /// The size of the file and of its write-ahead log.
    var byteCount: Int {
        size(of: path) + size(of: path + "-wal")
    }

    /// Makes the folder (0700) where it is missing and refuses one that others may write in.
    func prepareFolder() throws(JobStoreError) {
        do throws(FileError) {
            let isNew = !FileManager.default.fileExists(atPath: folder)
            _ = try Folder(path: folder, create: true, permissions: 0o700)
            let parent = (folder as NSString).deletingLastPathComponent
            if isNew { try Folder(path: parent.isEmpty ? "." : parent).sync() }
        } catch {
            throw .notWritable(path: folder, detail: error.description)
        }
        let permissions = permissions(of: folder)
        guard permissions & 0o022 == 0 else {
            throw .notPrivate(path: folder, permissions: permissions)
        }
    }

    /// Holds the job for this process.
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

    /// Makes the file, whole and under its name at once: an empty or half-made state is damage, never a new start.
    func create() throws {
        // A log without its database would be read into the new one.
        for name in [path + "-wal", path + "-shm"] { try? FileManager.default.removeItem(atPath: name) }
        let draft = path + ".new"
        for name in [draft, draft + "-wal", draft + "-shm"] {
            try? FileManager.default.removeItem(atPath: name)
        }
        let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: permissions) else {
            throw JobStoreError.notWritable(path: folder, detail: "the file \(draft) cannot be made")
        }
        let database = try Database(path: draft) {
            try $0.migrate(Schema.migrations, applicationID: Schema.applicationID, path: draft)
        }
        // The log is emptied into the file and synced.
        database.close()
        do {
            try FileManager.default.moveItem(atPath: draft, toPath: path)
        } catch {
            throw JobStoreError.notWritable(path: folder, detail: error.localizedDescription)
        }
        try Folder(path: folder).sync()
    }

    /// Removes the state; what is cached and what was made stay.
    func remove() throws(JobStoreError) {
        // The log first: it must not outlive its database.
        for name in [path + "-wal", path + "-shm", path] where FileManager.default.fileExists(atPath: name) {
            do {
                try FileManager.default.removeItem(atPath: name)
            } catch {
                throw .notWritable(path: name, detail: "it cannot be removed: \(error.localizedDescription)")
            }
        }
    }

    /// Takes from others the right to read it, as after a careless copy.
    func protect() {
        guard permissions(of: path) & 0o077 != 0 else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Refuses an empty file, which SQLite would take for a new database and write to.
    func refuseEmpty() throws(JobStoreError) {
        guard size(of: path) > 0 else { throw .damaged(path: path, detail: "the file is empty") }
    }

    /// Refuses what is no state of a job at all; the rest of the damage is SQLite's to find.
    func examine(_ connection: Connection) throws {
        let isOurs = try connection.integer("PRAGMA application_id") == Int64(Schema.applicationID)
        guard isOurs else {
            throw JobStoreError.damaged(path: path, detail: "it is no state of a job")
        }
    }

    private func permissions(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    private func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
