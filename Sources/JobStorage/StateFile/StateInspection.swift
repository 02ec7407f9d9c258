import Files
import Foundation
import SQLite

/// The condition of a state's file, found without changing it.
public struct StateInspection: Sendable {
    /// The size of the file and of its write-ahead log, in bytes.
    public let bytes: Int, logBytes: Int
    /// The permissions of the file and of its folder.
    public let permissions: Int, folderPermissions: Int
    /// The ID of the process that holds the job, 0 if it cannot be read; nil if no process holds it.
    public let holder: Int32?
    /// The schema's version in the file (nil if it cannot be read), and the version that this release writes.
    public let version: Int?, knownVersion: Int
    /// The damage that SQLite finds; empty if the file is intact.
    public let damage: [String]

    /// Inspects the state at `path`, reading all of it; nil if there is none.
    /// - Throws: `JobStoreError` for a state that cannot be found or read for another reason than damage.
    public init?(path: String) throws(JobStoreError) {
        let file = StateFile(path: path)
        do {
            guard let found = try Presence.status(of: path),
                let foundFolder = try Presence.status(of: Folder.enclosing(path))
            else { return nil }
            try Presence.requireReadable(path)
            bytes = found.size
            logBytes = try Presence.status(of: path + "-wal")?.size ?? 0
            permissions = Int(found.permissions)
            folderPermissions = Int(foundFolder.permissions)
            holder = try Self.holder(file)
            knownVersion = Schema.migrations.count
            (version, damage) = try Self.examine(file)
        } catch {
            throw JobStoreError(reading: error)
        }
    }

    private static func examine(_ file: StateFile) throws -> (version: Int?, damage: [String]) {
        do {
            try file.refuseEmpty()
            let connection = try Connection(path: file.path, mode: .readOnly)
            try file.examine(connection)
            let version = Int(try connection.integer("PRAGMA user_version"))
            // The quick check does not compare indexes with their tables.
            let found: [String] = try connection.statement("PRAGMA integrity_check(10)").scalars()
            let shape = try SchemaShape(of: connection)
            let isPresent = version == Schema.migrations.count
            let differences = isPresent ? shape.differences(from: try .expected()) : []
            return (version, found.filter { $0 != "ok" } + differences)
        } catch JobStoreError.damaged(_, let detail) {
            return (nil, [detail])
        } catch let error as SQLiteError where !error.isLocalTrouble {
            return (nil, [error.description])
        }
    }

    private static func holder(_ file: StateFile) throws(FileError) -> Int32? {
        // Taking the lock would create its file.
        guard try Presence.exists(file.lockPath) else { return nil }
        do {
            _ = try file.lock()
            return nil
        } catch {
            guard case .locked(let holder, _) = error else { return nil }
            return holder ?? 0
        }
    }
}
