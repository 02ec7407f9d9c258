import CSQLite
import Glibc

/// A connection to a database, confined to one thread at a time.
///
/// `Database` keeps it on its own thread.
///
/// Every file of this project has one connection that writes. SQLite before 3.51.3 can damage a WAL database when two
/// connections write or checkpoint at the same moment (the WAL-reset bug).
public final class Connection {
    /// The access mode.
    public enum Mode: Sendable {
        /// Reads and writes. Creates the file, with mode 0600, if it is missing.
        case readWrite
        /// Reads only, while another process may write.
        case readOnly
    }

    /// True once memory statistics are off.
    ///
    /// They must be turned off before the first connection, and would cost a lock for each allocation.
    private static let isConfigured = nb_sqlite3_count_no_memory() == SQLITE_OK

    let handle: OpaquePointer
    private let path: String
    /// The prepared statements by the length of their texts: comparing two texts takes less time than hashing one.
    private var statements: [Int: [(sql: String, statement: Statement)]] = [:]
    private var interruption: Interruption?
    /// The sums that changes of the transaction under way have left to be written before its commit; nil for none.
    public var sums: (any TransactionSums)?

    /// Opens the database at `path` with settings under which a committed change survives a power failure.
    ///
    /// WAL with `synchronous=FULL` (NORMAL can lose the last commits), foreign keys on, no memory mapping, untrusted
    /// schema and page checks, and a write-ahead log of at most 64 MiB between checkpoints.
    /// - Throws: `SQLiteError`.
    public init(path: String, mode: Mode = .readWrite) throws(SQLiteError) {
        // If this process has used SQLite before, memory statistics stay on.
        _ = Self.isConfigured
        var opened: OpaquePointer?
        if mode == .readWrite { Self.create(path) }
        // No mutex inside SQLite, because the connection is confined to one thread at a time.
        let access = mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message, path: path)
        }
        handle = opened
        self.path = path
        nb_sqlite3_set_defensive(handle)
        sqlite3_busy_timeout(handle, 5000)
        try execute(
            "PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=FILE"
        )
        switch mode {
        case .readWrite:
            try execute(
                """
                PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;
                PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=67108864
                """
            )
        case .readOnly: try execute("PRAGMA query_only=ON")
        }
    }

    /// Creates the file with mode 0600, which its log gets too; SQLite itself would let everybody read both.
    ///
    /// An existing file is not opened: closing it would release the locks that this process holds on it (fcntl(2)).
    private static func create(_ path: String) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs one or more statements without parameters and discards their rows.
    /// - Throws: `SQLiteError`.
    public func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Writes the write-ahead log into the file, and empties it.
    /// - Throws: `SQLiteError`, also if another connection prevents it (`SQLITE_BUSY`).
    public func emptyLog() throws(SQLiteError) {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)"
        guard try statement(sql).first(row: { $0["busy"] }) == 0 else {
            throw SQLiteError(code: SQLITE_BUSY, message: "the log is in use", path: path, statement: sql)
        }
    }

    /// Returns the prepared statement for `sql`, cached by its text.
    /// - Throws: `SQLiteError`.
    public func statement(_ sql: String) throws(SQLiteError) -> Statement {
        let length = sql.utf8.count
        if let kept = statements[length]?.first(where: { $0.sql == sql }) { return kept.statement }
        let made = try Statement(sql, connection: self)
        statements[length, default: []].append((sql, made))
        return made
    }

    /// Prepares a single read-only query from untrusted SQL.
    /// - Throws: `SQLiteError`, also for more than one statement, and for a statement that writes, has parameters or
    ///   returns no columns.
    public func query(_ sql: String) throws(SQLiteError) -> Query {
        let query = Query(statement: try Statement(sql, connection: self))
        guard let problem = query.problem else { return query }
        throw SQLiteError(code: SQLITE_MISUSE, message: problem, path: path, statement: sql)
    }

    /// Bounds untrusted queries: no value, row or statement is longer than `bytes`, and a statement is interrupted when
    /// `isOver` returns true, which is asked between instructions, every 10,000 of them.
    public func limit(bytes: Int, until isOver: @escaping () -> Bool) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
        let interruption = Interruption(isOver)
        self.interruption = interruption
        sqlite3_progress_handler(
            handle,
            10_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque()
        )
    }

    /// Runs `body` in a transaction that is committed, with its sums, when it returns and rolled back when it throws.
    /// - Throws: The error of `body`, or the `SQLiteError` of the commit.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        defer { sums = nil }
        do {
            let result = try body()
            try sums?.write(to: self)
            try execute("COMMIT")
            return result
        } catch {
            // Fails if SQLite has already rolled back, as after a full disk.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The number of rows that the last statement changed.
    public var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The row id of the last insert.
    public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The integer result of a statement such as `PRAGMA user_version` or `SELECT count(*) …`.
    /// - Throws: `SQLiteError`.
    public func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try statement(sql).scalar() ?? 0
    }

    func failure(_ sql: String?) -> SQLiteError {
        let code = sqlite3_extended_errcode(handle)
        let message = String(cString: sqlite3_errmsg(handle))
        // Of calls to the system, SQLite's own message says only which kind failed.
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff)
        let cause = isOfSystem ? sqlite3_system_errno(handle) : 0
        return SQLiteError(
            code: code,
            message: cause == 0 ? message : "\(message): \(String(cString: strerror(cause)))",
            path: path,
            statement: sql
        )
    }
}

/// What the changes of a transaction add up in memory, and write once for all of them.
public protocol TransactionSums: AnyObject {
    /// Writes the sums; called once, at the end of the transaction.
    /// - Throws: `SQLiteError`: the transaction is rolled back.
    func write(to connection: Connection) throws(SQLiteError)
}

/// The condition that ends a statement, at a constant address.
private final class Interruption {
    let isOver: () -> Bool

    init(_ isOver: @escaping () -> Bool) {
        self.isOver = isOver
    }
}

/// The version of the SQLite library in use, such as `3.40.1`.
public var libraryVersion: String { String(cString: sqlite3_libversion()) }
