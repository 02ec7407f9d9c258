import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactionSumsTests {
    private struct Refused: Error {}

    /// Numbers that are added up in memory, and the number of times that their sum was written.
    private final class Sum: TransactionSums {
        var amount: Int64 = 0

        func write(to connection: Connection) throws(SQLiteError) {
            try connection.statement("UPDATE sum SET total = total + ?, writes = writes + 1").run(amount)
        }
    }

    private static func add(_ amount: Int64, to connection: Connection) {
        let sum = connection.sums as? Sum ?? Sum()
        sum.amount += amount
        connection.sums = sum
    }

    private func open(_ folder: TemporaryFolder) throws -> Connection {
        let connection = try Connection(path: folder.path("test.sqlite"))
        try connection.execute(
            "CREATE TABLE sum(total INTEGER, writes INTEGER); INSERT INTO sum VALUES (0, 0)"
        )
        return connection
    }

    @Test("are written once for all changes of a transaction, within it")
    func once() throws {
        let folder = try TemporaryFolder()
        let connection = try open(folder)
        try connection.transaction { for amount in 1...100 { Self.add(Int64(amount), to: connection) } }
        #expect(try connection.integer("SELECT total FROM sum") == 5050)
        #expect(try connection.integer("SELECT writes FROM sum") == 1)
        try connection.transaction { Self.add(1, to: connection) }
        #expect(try connection.integer("SELECT total FROM sum") == 5051)
        #expect(connection.sums == nil)
    }

    @Test("go with a transaction that is rolled back")
    func rolledBack() throws {
        let folder = try TemporaryFolder()
        let connection = try open(folder)
        #expect(throws: Refused.self) {
            try connection.transaction {
                Self.add(7, to: connection)
                throw Refused()
            }
        }
        try connection.transaction { Self.add(2, to: connection) }
        #expect(try connection.integer("SELECT total FROM sum") == 2)
    }

    @Test("a change that fails among others counts nothing, and the others once")
    func failingChange() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("test.sqlite")
        _ = try open(folder)
        let database = try Database(path: path)
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try? await database.write { connection in
                        Self.add(1, to: connection)
                        if number.isMultiple(of: 10) { throw Refused() }
                    }
                }
            }
        }
        #expect(try database.readNow { try $0.integer("SELECT total FROM sum") } == 180)
        database.close()
    }

    @Test("sums that cannot be written roll the transaction back")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let connection = try open(folder)
        try connection.execute("CREATE TABLE number(n INTEGER); ALTER TABLE sum RENAME TO other")
        #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO number VALUES (1)")
                Self.add(1, to: connection)
            }
        }
        #expect(try connection.integer("SELECT count(*) FROM number") == 0)
    }
}
