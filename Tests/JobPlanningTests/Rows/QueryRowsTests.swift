import JobManifest
import JobFixtures
@testable import JobPlanning
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite struct QueryRowsTests {
    /// A folder with `products.db`, made by `sql`.
    private func folder(_ sql: String) throws -> ManifestFolder {
        let folder = try ManifestFolder()
        let connection = try Connection(path: folder.folder.path("products.db"))
        try connection.execute("PRAGMA journal_mode=DELETE")
        try connection.execute(sql)
        return folder
    }

    private func manifest(_ query: String, columns: String = "{}") -> String {
        #"{"sources": [{"sqlite": "products.db", "query": "\#(query)", "columns": \#(columns)}]}"#
    }

    @Test("columns mean what those of a CSV mean, numbers are text in paths, NULL is not there")
    func columns() throws {
        let folder = try folder(
            """
            CREATE TABLE products(image_url TEXT, sku, prio TEXT, price REAL, colour TEXT);
            INSERT INTO products VALUES ('https://a.example/1', 42, 'high', 1.5, NULL), ('b.jpg', NULL, '', 2, 'red'),
                ('https://a.example/3', '', 'hihg', 3, ''), (NULL, 4, NULL, 4, 'x'), ('https://a.example/5', 5, NULL, x'ff', '')
            """
        )
        let items = try folder.items(
            manifest(
                "select * from products order by rowid",
                columns: #"{"url": "image_url", "id": "sku", "priority": "prio"}"#
            )
        )
        #expect(items.map(\.location) == (1...5).map { "products.db:\($0)" })
        #expect(items[0].url == "https://a.example/1" && items[0].id == "42" && items[0].priority == .high)
        #expect(items[0].variables == ["price": "1.5"])
        #expect(items[0].typedColumns == ["price": "1.5", "colour": "null"])
        #expect(items[1].url == "file://" + folder.folder.path("b.jpg") && items[1].id == nil)
        #expect(items[1].variables == ["price": "2.0", "colour": "red"])
        #expect(items[1].typedColumns == ["price": "2.0"])
        #expect(items.map { $0.problem == nil } == [true, true, false, false, false])
        #expect(items[2].problem?.message.contains("did you mean \"high\"?") == true)
        #expect(items[3].problem?.message == "the URL is empty")
        #expect(items[4].problem?.message.contains("not UTF-8") == true)
    }

    @Test("numbers keep all their digits, texts that look like numbers stay texts, and infinity is null")
    func types() throws {
        let folder = try folder("CREATE TABLE t(x)")
        let items = try folder.items(
            manifest(
                "select 'a.jpg' as url, 9223372036854775807 as n, 0.1 + 0.2 as d, 1e-5 as e, 9e999 as i, '007' as t"
            )
        )
        #expect(
            items[0].typedColumns
                == ["n": "9223372036854775807", "d": "0.30000000000000004", "e": "1e-05", "i": "null"]
        )
        #expect(
            items[0].variables
                == ["n": "9223372036854775807", "d": "0.30000000000000004", "e": "1e-05", "t": "007"]
        )
    }

    @Test("a hundred thousand rows are streamed")
    func streamed() throws {
        let folder = try folder("CREATE TABLE t(x)")
        let manifest = try folder.read(
            manifest(
                "with recursive n(i) as (select 1 union all select i + 1 from n) select 'https://a.example/' || i as url from n"
            )
        )
        // The answer has no end.
        let reader = ItemReader(manifest)
        for _ in 0..<100_000 { _ = try reader.next() }
        #expect(try reader.next()?.url == "https://a.example/100001")
    }

    @Test(
        "queries that are none are errors of the manifest, with the file and the query",
        arguments: [
            ("select x from products", "no such table: products"), ("selec", "syntax error"),
            ("delete from t", "it returns no columns"),
            ("select 1 as url; select 2", "more than one statement"),
            ("select x from t", "has no column \"url\", only \"x\""),
            ("select 1 as url where ?", "it has parameters"),
            ("select 1 as url, 2 as a, 3 as a", "two columns have the name \"a\""),
            ("", "it has no statement"),
            ("delete from t returning x as url", "it would write"),
        ]
    )
    func wrong(query: String, message: String) throws {
        let errors = try folder("CREATE TABLE t(x)").errors(manifest(query))
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.contains("sources[0]: products.db: ") == true, "\(errors)")
        #expect(errors.first?.contains(message) == true, "\(errors)")
    }

    @Test("a file that is missing or no database is an error of the manifest, and is not made")
    func noDatabase() throws {
        let folder = try ManifestFolder()
        let missing = try folder.errors(manifest("select 1 as url"))
        #expect(missing.first?.contains("products.db: there is no such file") == true, "\(missing)")
        try folder.folder.write(String(repeating: "no database ", count: 100), to: "products.db")
        let other = try folder.errors(manifest("select * from t"))
        #expect(other.first?.contains("use an SQLite database") == true, "\(other)")
        #expect(
            try folder.errors(#"{"sources": [{"sqlite": "a.db"}]}"#).first?.contains("\"query\" is missing")
                == true
        )
    }

    /// The rows of a query of an empty database.
    private func rows(
        _ query: String,
        limits: QueryRows.Limits = QueryRows.Limits(),
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws -> [Row] {
        let folder = try folder("CREATE TABLE t(x)")
        guard case .sqlite(let source) = try folder.read(manifest(query)).sources[0].kind else { return [] }
        let context = RowContext(folder: "/", schemes: ["https"], isStopped: isStopped)
        var reader = try QueryRows(source, context: context, limits: limits)
        var rows: [Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test("a query that never gives a row ends after a time, or when the run is stopped")
    func endless() throws {
        let endless =
            "with recursive n(i) as (select 1 union all select i + 1 from n) select i as url from n where i < 0"
        var limits = QueryRows.Limits()
        limits.patience = .milliseconds(20)
        let late = #expect(throws: SourceError.self) { try rows(endless, limits: limits) }
        #expect(late?.message.hasSuffix("failed: it gave no row for 0:00") == true)
        let questions = Mutex(0)
        let stopped = #expect(throws: SourceError.self) {
            try rows(endless) {
                questions.withLock { count in
                    count += 1
                    return count > 3
                }
            }
        }
        #expect(stopped?.message.hasSuffix("failed: interrupted") == true)
    }

    @Test("a query that gives rows without end ends at the limit")
    func tooManyRows() throws {
        var limits = QueryRows.Limits()
        limits.rows = 100
        let error = #expect(throws: SourceError.self) {
            try rows(
                "with recursive n(i) as (select 1 union all select 1 from n) select i as url from n",
                limits: limits
            )
        }
        #expect(error?.message.hasSuffix("failed: it gives more than 100 rows") == true)
    }

    @Test("values that would fill the memory are refused")
    func largeValues() throws {
        let huge = #expect(throws: SourceError.self) { try rows("select zeroblob(900000000) as url") }
        #expect(huge?.message.contains("too big") == true, "\(huge?.message ?? "")")
        let large = try rows("select zeroblob(60000000) as url union all select 'https://a.example/1'")
        #expect(
            large.map { $0.url.problem?.message ?? "" } == ["the column 1 is longer than 1000000 bytes", ""]
        )
    }
}
