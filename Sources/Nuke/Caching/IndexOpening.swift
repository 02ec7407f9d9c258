import Files
import Foundation
import SQLite
import Synchronization

/// The opening of a cache's index: finds out whether other processes use it and how the last one ended.
///
/// Two locks, always taken in this order: `index.lock` around everything that may write the database, and
/// `users.lock`, which each process shares as long as it has the index open.
struct IndexOpening: Sendable {
    /// The path of the database.
    let path: String
    let uses = RecentUses()
    private let folder: Folder
    private let lock: CacheLock
    private let users: CacheLock
    private let state = Findings()

    private final class Findings: Sendable {
        let values = Mutex((epoch: Int64(0), endedUncleanly: false))
    }

    init(folder: Folder) throws(FileError) {
        self.folder = folder
        path = folder.path + "/index.sqlite"
        lock = try CacheLock(path: folder.path + "/index.lock")
        users = try CacheLock(path: folder.path + "/users.lock")
    }

    /// The epoch of the index, and whether the last process that used it did not close it.
    var found: (epoch: Int64, endedUncleanly: Bool) {
        state.values.withLock { $0 }
    }

    /// Opens the database, and notes its clean end when it is closed by the last process that uses it.
    func open() throws -> Database {
        try Database(
            path: path,
            delay: 0.0005,
            prepare: { try prepare($0) },
            finish: { connection in
                try uses.write(to: connection)
                guard users.isAlone() else { return }
                try connection.execute("UPDATE state SET is_clean = 1")
            },
            exclusively: { try lock.hold($0) }
        )
    }

    /// Removes a database that cannot be read.
    /// - Throws: `error` if another process uses it.
    func removeDamaged(after error: SQLiteError) throws {
        try lock.hold {
            guard users.isAlone() else { throw error }
            for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] { try folder.remove(name) }
        }
        state.values.withLock { $0.endedUncleanly = true }
    }

    private func prepare(_ connection: Connection) throws {
        try connection.migrate(
            DataCacheSchema.migrations,
            applicationID: DataCacheSchema.applicationID,
            path: path
        )
        // Openings and closings take turns under the index's lock, so nobody can come or go between these lines.
        let isAlone = users.isAlone()
        try users.share()
        if isAlone, try connection.integer("SELECT is_clean FROM state") == 0 {
            state.values.withLock { $0.endedUncleanly = true }
            try check(connection)
            try connection.execute("UPDATE state SET epoch = epoch + 1")
        }
        try connection.execute("UPDATE state SET is_clean = 0")
        let epoch = try connection.integer("SELECT epoch FROM state")
        state.values.withLock { $0.epoch = epoch }
    }

    private func check(_ connection: Connection) throws {
        let answer = try connection.statement("PRAGMA quick_check(1)").first { $0.text(0) } ?? ""
        guard answer != "ok" else { return }
        throw SQLiteError(code: 11, message: "the check found: \(answer)", path: path)
    }
}
