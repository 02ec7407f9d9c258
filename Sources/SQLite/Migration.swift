/// One step of a schema.
///
/// Released steps are never edited; new ones are appended.
public struct Migration: Sendable {
    /// A descriptive name, such as `001-create-jobs`.
    public let name: String
    /// The statements.
    public let sql: String

    /// Creates a step called `name` that runs `sql`.
    public init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// A database whose schema this program cannot use.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
    /// A later release wrote it: its schema version, and the newest one known here.
    case newer(found: Int, known: Int, path: String)
    /// It belongs to another application: its application id.
    case foreign(applicationID: Int, path: String)

    /// The problem with its remedy.
    public var description: String {
        switch self {
        case .newer(let found, let known, let path):
            "\(path) was written by a newer release (schema \(found), this release supports up to \(known)): use the newer release"
        case .foreign(let applicationID, let path):
            "\(path) belongs to another application (application id \(applicationID)): choose another file"
        }
    }
}

extension Connection {
    /// Runs the migrations that the database has not had yet, each in its own transaction.
    ///
    /// `applicationID` identifies the application's files. A file with another id is refused.
    /// - Throws: `MigrationError`, `SQLiteError`.
    public func migrate(_ migrations: [Migration], applicationID: Int32, path: String) throws {
        let found = try integer("PRAGMA application_id")
        let version = try integer("PRAGMA user_version")
        guard found == applicationID || (found == 0 && version == 0) else {
            throw MigrationError.foreign(applicationID: Int(found), path: path)
        }
        guard version <= migrations.count else {
            throw MigrationError.newer(found: Int(version), known: migrations.count, path: path)
        }
        for (number, migration) in migrations.enumerated().dropFirst(Int(version)) {
            try transaction {
                try execute(migration.sql)
                try execute("PRAGMA user_version=\(number + 1); PRAGMA application_id=\(applicationID)")
            }
        }
    }
}
