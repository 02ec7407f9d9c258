import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct StatementTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path("test.sqlite"))
    }

    private func fill() throws {
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, size REAL, bytes BLOB)")
        let insert = try connection.statement("INSERT INTO t VALUES (?, ?, ?, ?)")
        try insert.run(1, "one", .real(0.5), .blob(Data([1, 0, 2])))
        try insert.run(2, nil, nil, nil)
        try insert.run(3, "", .real(-1), .blob(Data()))
    }

    @Test("NULL is told from nothing")
    func nulls() throws {
        try fill()
        let select = try connection.statement("SELECT name, size, bytes, id FROM t ORDER BY id")
        let nulls = try select.rows { row in (0..<4).map { row.isNull($0) } }
        #expect(
            nulls == [
                [false, false, false, false], [true, true, true, false], [false, false, false, false],
            ]
        )
        #expect(try select.rows { $0.optionalText(0) } == ["one", nil, ""])
        #expect(try select.rows { $0.optionalReal(1) } == [0.5, nil, -1])
        #expect(try select.rows { $0.optionalInteger(3) } == [1, 2, 3])
        #expect(try connection.statement("SELECT NULL").first { $0.optionalInteger(0) } == .some(nil))
        #expect(try select.rows { $0.text(0) } == ["one", "", ""])
        #expect(try select.rows { $0.real(1) } == [0.5, 0, -1])
        #expect(try select.rows { $0.blob(2) } == [Data([1, 0, 2]), Data(), Data()])
        #expect(try connection.statement("SELECT NULL").first { $0.integer(0) } == 0)
    }

    @Test("columns have the names of the query")
    func names() throws {
        try fill()
        let select = try connection.statement(
            "SELECT id AS number, name, count(*) OVER () AS \"all of it\" FROM t"
        )
        #expect(select.columnNames == ["number", "name", "all of it"])
        #expect(try connection.statement("DELETE FROM t").columnNames.isEmpty)
    }

    @Test("bytes that are no UTF-8 are told from text")
    func invalidText() throws {
        let select = try connection.statement("SELECT CAST(? AS TEXT)")
        #expect(try select.first(.blob(Data([0x61, 0xFF]))) { $0.validText(0) } == .some(nil))
        #expect(try select.first(.blob(Data([0x61, 0xFF]))) { $0.text(0) } == "a\u{FFFD}")
        #expect(try select.first(.blob(Data("ü".utf8))) { $0.validText(0) } == "ü")
        #expect(try select.first(nil) { $0.validText(0) } == "")
    }

    @Test("more values than parameters are refused, fewer are NULL")
    func count() throws {
        let select = try connection.statement("SELECT ?, ?")
        let error = #expect(throws: SQLiteError.self) { try select.bind([1, 2, 3]) }
        #expect(error?.statement == "SELECT ?, ?")
        #expect(throws: SQLiteError.self) { try select.bind(3, "x") }
        #expect(throws: SQLiteError.self) { try select.bind(0, Int64(1)) }
        let fresh = try connection.statement("SELECT ? IS NULL, ? IS NULL")
        let isNull = try fresh.first(1) { ($0.integer(0), $0.integer(1)) }
        #expect(isNull?.0 == 0)
        #expect(isNull?.1 == 1)
    }

    @Test("parameters are given one by one, and kept from row to row")
    func single() throws {
        try connection.execute("CREATE TABLE pair(a, b)")
        let insert = try connection.statement("INSERT INTO pair VALUES (?, ?)")
        try insert.bind(1, "first")
        for number in [Int64.min, .max] {
            try insert.bind(2, number)
            #expect(try insert.step() == false)
        }
        try insert.bind(1, String?.none)
        try insert.bind(2, Int64?.none)
        #expect(try insert.step() == false)
        let rows = try connection.statement("SELECT a, b FROM pair ORDER BY rowid").rows {
            ($0.optionalText(0), $0.optionalInteger(1))
        }
        #expect(rows.map(\.0) == ["first", "first", nil])
        #expect(rows.map(\.1) == [.min, .max, nil])
    }

    @Test("a statement can be used again after its first row, its last and an error")
    func again() throws {
        try fill()
        let select = try connection.statement("SELECT id FROM t WHERE id >= ? ORDER BY id")
        #expect(try select.first(2) { $0.integer(0) } == 2)
        #expect(try select.rows(2) { $0.integer(0) } == [2, 3])
        #expect(try select.first(9) { $0.integer(0) } == nil)
        #expect(try select.rows(1) { $0.integer(0) } == [1, 2, 3])
        let insert = try connection.statement("INSERT INTO t(id) VALUES (?)")
        let error = #expect(throws: SQLiteError.self) { try insert.run(1) }
        #expect(error?.isConstraint == true)
        try insert.run(4)
        #expect(try connection.integer("SELECT max(id) FROM t") == 4)
    }

    @Test("a statement that is not read to its end holds its lock until it is reset")
    func reset() throws {
        try fill()
        let select = try connection.statement("SELECT id FROM t")
        #expect(try select.step())
        let error = #expect(throws: SQLiteError.self) { try connection.execute("DROP TABLE t") }
        #expect(error?.message.contains("locked") == true)
        select.reset()
        try connection.execute("DROP TABLE t")
    }

    @Test("a first row leaves no lock behind")
    func firstResets() throws {
        try fill()
        _ = try connection.statement("SELECT id FROM t").first { $0.integer(0) }
        try connection.execute("DROP TABLE t")
    }

    @Test("literals and optionals become values")
    func values() {
        #expect(Value(Int64?.none) == .null)
        #expect(Value(Int?.none) == .null)
        #expect(Value(Double?.none) == .null)
        #expect(Value(String?.none) == .null)
        #expect(Value(Int?.some(.min)) == .integer(Int64(Int.min)))
        #expect(Value(Int64?.some(5)) == 5)
        #expect(Value(Double?.some(0.5)) == .real(0.5))
        #expect(Value(String?.some("")) == "")
        #expect(Value(nilLiteral: ()) == nil)
    }
}
