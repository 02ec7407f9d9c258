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
        try insert.run(1, "one", 0.5, Data([1, 0, 2]))
        try insert.run(2, Value.null, Value.null, Value.null)
        try insert.run(3, "", -1.0, Data())
    }

    @Test("NULL is told from nothing")
    func nulls() throws {
        try fill()
        let select = try connection.statement("SELECT name, size, bytes, id FROM t ORDER BY id")
        #expect(try select.rows { $0["name"] } == ["one", nil, ""])
        #expect(try select.rows { $0["size"] } == [0.5, nil, -1])
        #expect(try select.rows { $0["bytes"] } == [Data([1, 0, 2]), nil, Data()])
        #expect(try select.rows { $0["id"] } == [Int64?.some(1), 2, 3])
        #expect(try select.rows { $0["size"] } == [Int?.some(0), nil, -1])
        #expect(try select.rows { $0["size"] } == [false, nil, true])
        #expect(try select.rows { $0["name"] as String } == ["one", "", ""])
        #expect(try select.rows { $0["size"] as Double } == [0.5, 0, -1])
        #expect(try select.rows { $0["bytes"] as Data } == [Data([1, 0, 2]), Data(), Data()])
        let null = try connection.statement("SELECT NULL AS value")
        #expect(try null.first { ($0["value"] as Int64) + 1 } == 1)
        #expect(try null.first { ($0["value"] as Int) + 1 } == 1)
        #expect(try null.first { !$0["value"] } == true)
    }

    @Test("columns are found by their names in any order, from row to row, and more than once")
    func names() throws {
        try fill()
        let select = try connection.statement(
            "SELECT id AS n, name, t.size, count(*) OVER () AS all_rows FROM t"
        )
        let rows = try select.rows { row in
            let backwards: [Int] = [row["all_rows"], row["size"], row["n"]]
            let again: [Int] = [row["n"], row["n"], row["size"], row["all_rows"]]
            return backwards + again
        }
        #expect(rows == [[3, 0, 1, 1, 1, 0, 3], [3, 0, 2, 2, 2, 0, 3], [3, -1, 3, 3, 3, -1, 3]])
        let names: [StaticString] = ["all_rows", "name", "all_rows"]
        let texts = try select.first { row in names.map { row[$0] as String } }
        #expect(texts == ["3", "one", "3"])
    }

    @Test("of columns with the same name, the first is read")
    func repeatedNames() throws {
        let select = try connection.statement("SELECT 1 AS n, 2 AS n, 3 AS other")
        #expect(try select.first { row in [row["n"], row["n"], row["other"], row["n"]] } == [1, 1, 3, 1])
    }

    @Test("a column that the statement does not have ends the process")
    func unknownName() async {
        await #expect(processExitsWith: .failure) {
            let select = try Connection(path: "").statement("SELECT 1 AS one")
            let _: Int? = try select.first { $0["two"] }
        }
        await #expect(processExitsWith: .failure) {
            let _: Int? = try Connection(path: "").statement("SELECT 1, 2").scalar()
        }
    }

    @Test("a scalar is the only column")
    func scalars() throws {
        try fill()
        #expect(try connection.statement("SELECT name FROM t ORDER BY id").scalars() == ["one", "", ""])
        #expect(try connection.statement("SELECT name FROM t ORDER BY id").scalars() == ["one", nil, ""])
        let select = try connection.statement("SELECT name FROM t WHERE id = ?")
        #expect(try select.scalar(1) == "one")
        #expect(try select.scalar(2) == String?.none)
        #expect(try select.scalar(9) == String?.none)
        try connection.execute("DROP TABLE t")
    }

    @Test("bytes that are no UTF-8 are replaced")
    func invalidText() throws {
        let select = try connection.statement("SELECT CAST(? AS TEXT)")
        #expect(try select.scalar(Data([0x61, 0xFF])) == "a\u{FFFD}")
    }

    @Test("more values than parameters are refused, fewer are NULL")
    func count() throws {
        let select = try connection.statement("SELECT ?, ?")
        let error = #expect(throws: SQLiteError.self) { try select.bind([1, 2, 3]) }
        #expect(error?.statement == "SELECT ?, ?")
        #expect(throws: SQLiteError.self) { try select.bind(3, constant: "x") }
        #expect(throws: SQLiteError.self) { try select.bind(0, Int64(1)) }
        let fresh = try connection.statement("SELECT ? IS NULL AS first, ? IS NULL AS second")
        let isNull = try fresh.first(1) { ($0["first"] as Int, $0["second"] as Int) }
        #expect(isNull?.0 == 0)
        #expect(isNull?.1 == 1)
    }

    @Test("parameters are given one by one, and kept from row to row")
    func single() throws {
        try connection.execute("CREATE TABLE pair(a, b)")
        let insert = try connection.statement("INSERT INTO pair VALUES (?, ?)")
        try insert.bind(1, constant: "first")
        for number in [Int64.min, .max] {
            try insert.bind(2, number)
            #expect(try insert.step() == false)
        }
        try insert.bind(1, Int64?.none)
        try insert.bind(2, Int64?.none)
        #expect(try insert.step() == false)
        let rows = try connection.statement("SELECT a, b FROM pair ORDER BY rowid").rows {
            ($0["a"] as String?, $0["b"] as Int64?)
        }
        #expect(rows.map(\.0) == ["first", "first", nil])
        #expect(rows.map(\.1) == [.min, .max, nil])
    }

    @Test("a statement can be used again after its first row, its last and an error")
    func again() throws {
        try fill()
        let select = try connection.statement("SELECT id FROM t WHERE id >= ? ORDER BY id")
        #expect(try select.scalar(2) == 2)
        #expect(try select.scalars(2) == [2, 3])
        #expect(try select.scalar(9) == Int?.none)
        #expect(try select.scalars(1) == [1, 2, 3])
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
        _ = try connection.statement("SELECT id FROM t").first { $0["id"] as Int }
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
