import Files
import Foundation
import SQLite
import Synchronization

/// The opening of a cache's index: finds out whether other processes use it and how the last one ended.
///
/// Two locks, always taken in this order: `index.lock` around everything that may write the database, and
/// `users.lock`, which each process shares as long as it has the index open.
final class IndexOpening: Sendable {
    /// The path of the database.
    let path: String
    let uses = RecentUses()
    private let folder: Folder
    private let lock: CacheLock
    private let users: CacheLock
    private let values = Mutex((epoch: Int64(0), endedUncleanly: false))
    /// The numbers of the files that must stay where they are, once they are there.
    private let inodes = Mutex<[ino_t?]?>(nil)
    /// The identifier of this boot of the machine (random(4)); if the system has none, a value that is never equal.
    private let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? UUID().uuidString

    init(folder: Folder) throws(FileError) {
        self.folder = folder
        path = folder.path + "/index.sqlite"
        lock = try CacheLock(path: folder.path + "/index.lock")
        users = try CacheLock(path: folder.path + "/users.lock")
    }

    /// The epoch of the index, and whether the last process that used it did not close it.
    var found: (epoch: Int64, endedUncleanly: Bool) { values.withLock { $0 } }

    /// True if the database or a lock is no longer where it was opened: later processes use others.
    var hasVanished: Bool {
        guard let inodes = inodes.withLock({ $0 }) else { return false }
        return inodes != currentInodes
    }

    /// Opens the database, and notes its clean end when it is closed by the last process that uses it.
    func open() throws -> Database {
        inodes.withLock { $0 = nil }
        protect()
        let database = try Database(
            path: path,
            delay: 0.0005,
            prepare: { [self] in try prepare($0) },
            finish: { [self] connection in
                try uses.write(to: connection, of: folder)
                guard users.isAlone() else { return }
                try connection.execute("UPDATE state SET is_clean = 1")
            },
            exclusively: { [self] work in
                try lock.hold {
                    if hasVanished { throw IndexVanished(path: path) }
                    try work()
                }
            }
        )
        inodes.withLock { $0 = currentInodes }
        return database
    }

    /// Makes an index that an earlier version created private; one that others may write is shared on purpose.
    private func protect() {
        for file in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard unsafe lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            if status.st_mode & 0o022 == 0, status.st_mode & 0o044 != 0 { _ = unsafe chmod(file, 0o600) }
        }
    }

    /// Removes a database that cannot be read.
    /// - Throws: `error` if another process uses it.
    func removeDamaged(after error: SQLiteError) throws {
        try lock.hold {
            guard users.isAlone() else { throw error }
            for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] { try folder.remove(name) }
        }
        values.withLock { $0.endedUncleanly = true }
    }

    private func prepare(_ connection: Connection) throws {
        try connection.migrate(
            DataCacheSchema.migrations,
            applicationID: DataCacheSchema.applicationID,
            path: path
        )
        // Openings and closings are serialized by the index's lock, so no process can open or close between these lines.
        let isAlone = users.isAlone()
        try users.share()
        if isAlone, try connection.integer("SELECT is_clean FROM state") == 0 {
            values.withLock { $0.endedUncleanly = true }
            let lastBoot: String? = try connection.statement("SELECT boot FROM state").scalar()
            if lastBoot != boot { try check(connection) }
            try connection.execute("UPDATE state SET epoch = epoch + 1")
        }
        try connection.statement("UPDATE state SET is_clean = 0, boot = ?").run(boot)
        let epoch = try connection.integer("SELECT epoch FROM state")
        values.withLock { $0.epoch = epoch }
    }

    private var currentInodes: [ino_t?] {
        [path, folder.path + "/index.lock", folder.path + "/users.lock"].map { path in
            var status = stat()
            return unsafe stat(path, &status) == 0 ? status.st_ino : nil
        }
    }

    /// Reads the whole database, so it is done only after the machine went down: what a process had written before it
    /// was killed is as good as if it had gone on.
    private func check(_ connection: Connection) throws {
        let answer = try connection.statement("PRAGMA quick_check(1)").scalar() ?? ""
        guard answer != "ok" else { return }
        throw SQLiteError(code: 11, message: "the check found: \(answer)", path: path)
    }
}

/// The error for work on an index that was removed, alone or with its folder, while it was open.
struct IndexVanished: Error, CustomStringConvertible {
    let path: String

    var description: String { "\(path) was removed or replaced while the cache was open" }
}
