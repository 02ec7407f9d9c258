import CSQLite

/// An SQLite call that failed.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code (https://sqlite.org/rescode.html).
    public let code: Int32
    /// SQLite's own message.
    public let message: String
    /// The database's path.
    public let path: String
    /// The statement that failed, if there was one.
    public let statement: String?

    /// Creates an error with SQLite's extended result `code`.
    public init(code: Int32, message: String, path: String, statement: String? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.statement = statement
    }

    /// True if the file is damaged or not an SQLite database.
    public var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// True if a constraint of the schema rejected the change.
    public var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// True for a local problem: disk full or failing, no permission, no memory, or a lock held by another process.
    public var isLocalTrouble: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_PERM]
            .contains(primaryCode)
    }

    /// The database, the failure and its cause.
    public var description: String {
        let location = statement.map { " in \"\($0.prefix(120))\"" } ?? ""
        return "database \(path): \(message) (SQLite \(code))\(location)"
    }

    private var primaryCode: Int32 { code & 0xff }
}

/// The error for work submitted to a closed database.
public struct DatabaseClosed: Error, CustomStringConvertible {
    /// The message.
    public let description = "the database is closed"

    /// Creates the error.
    public init() {}
}
