import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct QueryTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path("test.sqlite"))
        try connection.execute("CREATE TABLE number(n INTEGER PRIMARY KEY, note TEXT)")
    }

    @Test(
        "a query of others is one that only reads",
        arguments: [
            ("SELECT 1; SELECT 2", "more than one statement"), ("DELETE FROM number", "no columns"),
            ("DELETE FROM number RETURNING n", "would write"), ("SELECT ?", "parameters"),
            ("SELECT :name", "parameters"), ("", "no statement"), ("-- nothing", "no statement"),
            ("SELEC 1", "syntax error"), ("SELECT 1 FROM none", "no such table"),
        ]
    )
    func refusedQueries(sql: String, reason: String) throws {
        let error = #expect(throws: SQLiteError.self) { try connection.query(sql) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.statement == sql)
    }

    @Test(
        "white space and a semicolon may end a query",
        arguments: ["SELECT 5;", "SELECT 5 ;\n\t ", "SELECT 5"]
    )
    func acceptedQueries(sql: String) throws {
        let query = try connection.query(sql)
        #expect(try query.step())
        #expect(query[0].validText == "5")
    }

    @Test("columns have the names of the query")
    func names() throws {
        let query = try connection.query(
            "SELECT n AS number, note, count(*) OVER () AS \"all of it\" FROM number"
        )
        #expect(query.columnNames == ["number", "note", "all of it"])
    }

    @Test("each query is prepared anew")
    func anew() throws {
        let queries = try (0..<2).map { _ in try connection.query("SELECT 1") }
        #expect(try queries.map { try $0.step() } == [true, true])
        #expect(try queries.map { try $0.step() } == [false, false])
    }

    @Test("NULL is told from nothing, and bytes that are no UTF-8 from text")
    func texts() throws {
        let query = try connection.query(
            "SELECT NULL, '', CAST(x'61FF' AS TEXT), CAST(x'C3BC' AS TEXT), 5"
        )
        #expect(try query.step())
        #expect((0..<5).map { query[$0].isNull } == [true, false, false, false, false])
        #expect((0..<5).map { query[$0].validText } == ["", "", nil, "ü", "5"])
        #expect((0..<5).map { query[$0].byteCount } == [0, 0, 2, 2, 1])
        #expect(try query.step() == false)
    }
}
