import Foundation
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    struct Refused: Error {}

    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path("test.sqlite"))
        try connection.execute("CREATE TABLE number(n INTEGER PRIMARY KEY, note TEXT)")
    }

    @Test(
        "a connection that writes has the settings of durable commits",
        arguments: [
            ("synchronous", 2), ("foreign_keys", 1), ("mmap_size", 0), ("trusted_schema", 0),
            ("cell_size_check", 1), ("temp_store", 1), ("wal_autocheckpoint", 1000),
            ("journal_size_limit", 67_108_864), ("query_only", 0),
        ]
    )
    func settings(name: String, value: Int64) throws {
        #expect(try connection.integer("PRAGMA \(name)") == value)
    }

    @Test("the journal is a write-ahead log")
    func journal() throws {
        #expect(try connection.statement("PRAGMA journal_mode").scalar() == "wal")
    }

    @Test("only the owner can read the file and its log")
    func permissions() throws {
        for name in ["test.sqlite", "test.sqlite-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("the schema cannot be written by hand")
    func defensive() throws {
        try connection.execute("PRAGMA writable_schema=ON")
        #expect(throws: SQLiteError.self) {
            try connection.execute("UPDATE sqlite_master SET sql = 'damage'")
        }
    }

    @Test("a connection that reads sees commits, and writes and creates nothing")
    func readOnly() throws {
        let path = folder.path("test.sqlite")
        let reader = try Connection(path: path, mode: .readOnly)
        #expect(try reader.integer("PRAGMA query_only") == 1)
        try connection.execute("INSERT INTO number VALUES (1, 'one')")
        #expect(try reader.integer("SELECT count(*) FROM number") == 1)
        let error = #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM number") }
        #expect(error?.isLocalTrouble == true)
        #expect(throws: SQLiteError.self) { try Connection(path: folder.path("none"), mode: .readOnly) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }

    @Test("a path that cannot be opened is named")
    func missingFolder() throws {
        let path = folder.path("none/test.sqlite")
        let error = #expect(throws: SQLiteError.self) { try Connection(path: path) }
        #expect(error?.path == path)
        #expect(error?.isLocalTrouble == true)
        #expect(error?.isDamage == false)
    }

    @Test("a transaction is committed as a whole, or rolled back as a whole")
    func transactions() throws {
        let result = try connection.transaction {
            try connection.execute("INSERT INTO number(n) VALUES (1); INSERT INTO number(n) VALUES (2)")
            return "done"
        }
        #expect(result == "done")
        #expect(throws: Refused.self) {
            try connection.transaction {
                try connection.execute("DELETE FROM number")
                throw Refused()
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM number") == 2)
        #expect(throws: SQLiteError.self) {
            try connection.transaction { try connection.execute("BEGIN") }
        }
        // None is left open.
        try connection.transaction { try connection.execute("INSERT INTO number(n) VALUES (3)") }
        #expect(try connection.integer("SELECT count(*) FROM number") == 3)
    }

    @Test("a commit that fails is rolled back")
    func failingCommit() throws {
        try connection.execute(
            "CREATE TABLE child(n INTEGER REFERENCES number(n) DEFERRABLE INITIALLY DEFERRED)"
        )
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { try connection.execute("INSERT INTO child VALUES (99)") }
        }
        #expect(error?.isConstraint == true)
        #expect(try connection.integer("SELECT count(*) FROM child") == 0)
        try connection.transaction { try connection.execute("INSERT INTO number(n) VALUES (1)") }
    }

    @Test("a transaction that writes excludes another from its beginning")
    func busy() throws {
        let other = try Connection(path: folder.path("test.sqlite"))
        try other.execute("PRAGMA busy_timeout=0")
        try connection.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SQLiteError.self) { try other.transaction {} }
        #expect(error?.isLocalTrouble == true)
        #expect(error?.isConstraint == false)
        #expect(try other.integer("SELECT count(*) FROM number") == 0)
        try connection.execute("COMMIT")
        try other.transaction {}
    }

    @Test("a lock is waited for")
    func waits() throws {
        #expect(try connection.integer("PRAGMA busy_timeout") == 5000)
    }

    @Test("changes and row ids are those of the last statement")
    func changes() throws {
        try connection.execute("INSERT INTO number VALUES (7, 'a'), (8, 'b'), (9, 'b')")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertRowID == 9)
        try connection.execute("UPDATE number SET note = 'c' WHERE note = 'b'")
        #expect(connection.changes == 2)
        try connection.execute("DELETE FROM number WHERE n = 0")
        #expect(connection.changes == 0)
    }

    @Test("an answer without rows is 0")
    func integer() throws {
        #expect(try connection.integer("SELECT n FROM number") == 0)
        #expect(try connection.integer("SELECT -5") == -5)
    }

    @Test("a statement is prepared once for each text")
    func kept() throws {
        let first = try connection.statement("SELECT 1")
        #expect(try connection.statement("SELECT 1") === first)
        #expect(try connection.statement("SELECT 2") !== first)
    }

    @Test("errors name the database and the statement, cut to 120 characters")
    func descriptions() throws {
        let sql = "SELECT * FROM none WHERE " + String(repeating: "x", count: 200)
        let error = #expect(throws: SQLiteError.self) { try connection.statement(sql) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("database \(folder.path("test.sqlite")): no such table: none"))
        #expect(text.hasSuffix(" in \"\(sql.prefix(120))\""))
        let plain = SQLiteError(code: 11, message: "damaged", path: "x")
        #expect(plain.description == "database x: damaged (SQLite 11)")
    }

    @Test(
        "extended codes count as their primary ones",
        arguments: [
            (11, "damage"), (26, "damage"), (267, "damage"), (19, "constraint"), (1555, "constraint"),
            (5, "local"), (261, "local"), (3, "local"), (7, "local"), (8, "local"), (10, "local"),
            (778, "local"), (13, "local"), (14, "local"), (1, "none"), (21, "none"),
        ]
    )
    func classes(code: Int32, kind: String) {
        let error = SQLiteError(code: code, message: "", path: "")
        #expect(error.isDamage == (kind == "damage"))
        #expect(error.isConstraint == (kind == "constraint"))
        #expect(error.isLocalTrouble == (kind == "local"))
    }

    @Test("the version is SQLite's")
    func version() throws {
        #expect(try connection.statement("SELECT sqlite_version()").scalar() == libraryVersion)
    }
}
