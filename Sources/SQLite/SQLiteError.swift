import CSQLite

/// A call of SQLite that failed.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code (https://sqlite.org/rescode.html).
    public let code: Int32
    /// SQLite's own sentence.
    public let message: String
    /// The database's path.
    public let path: String
    /// The statement that failed, where it was one.
    public let statement: String?

    /// Describes a failure with SQLite's extended result `code`.
    public init(code: Int32, message: String, path: String, statement: String? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.statement = statement
    }

    /// Whether the file is damaged or is no SQLite database.
    public var isDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode)
    }

    /// Whether a constraint of the schema refused the change.
    public var isConstraint: Bool {
        primaryCode == SQLITE_CONSTRAINT
    }

    /// Whether the machine is in the way: disk full or failing, no permission, no memory, a lock held by others.
    public var isLocalTrouble: Bool {
        [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_NOMEM, SQLITE_BUSY, SQLITE_PERM]
            .contains(primaryCode)
    }

    /// One sentence with the database, what failed and why.
    public var description: String {
        let place = statement.map { " in \"\($0.prefix(120))\"" } ?? ""
        return "database \(path): \(message) (SQLite \(code))\(place)"
    }

    private var primaryCode: Int32 {
        code & 0xff
    }
}
