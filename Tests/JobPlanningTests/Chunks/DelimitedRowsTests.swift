import JobFixtures
import Foundation
import JobManifest
import TestSupport
import Testing

@testable import JobPlanning

@Suite struct DelimitedRowsTests {
    private func items(_ text: String, name: String = "a.csv", columns: String = "{}") throws -> [PlannedItem]
    {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: name)
        return try folder.items(#"{"sources": [{"list": "\#(name)", "columns": \#(columns)}]}"#)
    }

    @Test("quotes, line breaks and delimiters in fields, CR LF, a byte order mark, blank lines")
    func quotes() throws {
        let items = try items(
            "\u{FEFF}url,id,title,prio\r\n"
                + "https://a.example/1,x,\"a \"\"b\"\", c\r\nd\",high\r\n"
                + "\r\n"
                + "\"https://a.example/2\",,,\r\n"
                + "https://a.example/3,\"\",5\" disk,veryLow",
            columns: #"{"priority": "prio"}"#
        )
        #expect(items.map(\.url) == (1...3).map { "https://a.example/\($0)" })
        #expect(items.map(\.id) == ["x", nil, nil])
        #expect(items.map { $0.variables["title"] } == ["a \"b\", c\r\nd", "", "5\" disk"])
        #expect(items.map(\.priority) == [.high, .normal, .veryLow])
        #expect(items.map(\.location) == ["a.csv:2", "a.csv:5", "a.csv:6"])
        #expect(items.allSatisfy { $0.problem == nil && $0.variables.keys.sorted() == ["title"] })
    }

    @Test("a doubled quote is one also before a combining mark, which makes one Character of both")
    func marks() throws {
        for text in ["say \"\u{301} x", "\"\u{200D}\"\"\u{FE0F}", "\"\"\"\"", "e\u{301}\""] {
            let items = try items("url,title\nhttps://a.example/1,\(CSVRow.text([text]))\n")
            #expect(items.map { Array(($0.variables["title"] ?? "").utf8) } == [Array(text.utf8)], "\(text)")
        }
    }

    @Test("columns are found by the manifest's names, and tabs divide a TSV")
    func tabs() throws {
        let items = try items(
            "sku\timage_url\tcolour\n7\thttps://a.example/1\tred, green\n",
            name: "a.tsv",
            columns: #"{"url": "image_url", "id": "sku"}"#
        )
        #expect(items.map(\.id) == ["7"] && items[0].variables == ["colour": "red, green"])
    }

    @Test("rows that are none fail with their line, and none is lost")
    func problems() throws {
        var bytes = Data(
            """
            url,priority
            https://a.example/1,hihg
            https://a.example/2
            https://a.example/3,low,more
            "https://a.example/4"x,low
            ,low
            https://a.example/6,

            """.utf8
        )
        bytes += Data("https://a.example/7,".utf8) + [0xFF] + Data("\nhttps://a.example/\u{0},\n".utf8)
        let folder = try ManifestFolder()
        try folder.folder.write(bytes, to: "a.csv")
        let items = try folder.items(#"{"sources": [{"list": "a.csv"}]}"#)
        #expect(items.map(\.location) == (2...9).map { "a.csv:\($0)" })
        #expect(items.map { $0.problem == nil } == [false, false, false, false, false, true, false, false])
        #expect(items[0].problem?.message.contains("did you mean \"high\"?") == true)
        #expect(items[1].problem?.message == "the row has 1 field, the header row has 2")
    }

    @Test(
        "what makes the whole list unreadable, with its line",
        arguments: [
            ("", "a.csv:1: has no header row"),
            ("link\nx\n", "a.csv:1: has no column \"url\", only \"link\""),
            ("url,url\n", "a.csv:1: two columns have the name \"url\""),
        ]
    )
    func header(text: String, expected: String) throws {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: "a.csv")
        let errors = try folder.errors(#"{"sources": [{"list": "a.csv"}]}"#)
        #expect(errors.count == 1 && errors[0].contains(expected), "\(errors)")
    }

    @Test("a quote that does not end is named by the line that it is in", arguments: [10, 2_000_000])
    func openQuote(length: Int) throws {
        let rest = String(repeating: "x", count: length)
        let error = #expect(throws: SourceError.self) {
            try items("url,a\nhttps://a.example/1,\"b\nc\"\nhttps://a.example/2,\"\(rest)")
        }
        #expect(error?.file == "a.csv" && error?.line == 4)
    }

    @Test("rows that lie across the pieces that are read at a time are whole")
    func pieces() throws {
        let field = String(repeating: "é,\"\"\n", count: 40_000)
        let rows = (1...20).map { "https://a.example/\($0),\"\(field)\"\n" }
        let items = try items("url,text\n" + rows.joined())
        #expect(items.count == 20 && items.allSatisfy { $0.problem == nil })
        let expected = field.replacing("\"\"", with: "\"")
        #expect(items.allSatisfy { $0.variables["text"] == expected })
        #expect(items.last?.location == "a.csv:\(2 + 19 * 40_001)")
    }
}

/// Delimiters and line ends as programs write them.
@Suite struct DelimiterTests {
    private func items(_ text: String, name: String = "a.csv", more: String = "") throws -> [PlannedItem] {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: name)
        return try folder.items(#"{"sources": [{"list": "\#(name)"\#(more)}]}"#)
    }

    @Test(
        "the header row shows the delimiter",
        arguments: [
            ("a.csv", "sku;url;price\n1;https://a.example/1;3,50\n"),
            ("a.csv", "sku\turl\n1\thttps://a.example/1\n"),
            ("a.csv", "sku|url\n1|https://a.example/1\n"), ("a.tsv", "sku,url\n1,https://a.example/1\n"),
            ("a.csv", "\u{FEFF}\"sku\";\"url\";\"a, b\"\r\n1;https://a.example/1;\r\n"),
            ("a.csv", "sku;url,x;y\r1;https://a.example/1;\r"),
            ("a.csv", "sep=;\r\nsku;url\r\n1;https://a.example/1\r\n"),
            ("a.csv", "sep=|\nsku|url\n1|https://a.example/1"),
            ("a.csv", "sku,url;b\n1,https://a.example/1\n"),
        ]
    )
    func found(name: String, text: String) throws {
        guard !text.contains("url,x"), !text.contains("url;b") else {
            // No delimiter finds the column: the list is refused, and no row is lost in silence.
            #expect(throws: ManifestErrors.self) { try self.items(text, name: name) }
            return
        }
        let items = try self.items(text, name: name)
        #expect(items.map(\.url) == ["https://a.example/1"] && items[0].variables["sku"] == "1")
    }

    @Test("the usual delimiter is taken if it finds the columns, however many others there are")
    func usual() throws {
        let items = try self.items("url,a;b;c;d;e\nhttps://a.example/1,x\n")
        #expect(items.map(\.variables) == [["a;b;c;d;e": "x"]])
        #expect(try self.items("url\nhttps://a.example/1;2\n").map(\.url) == ["https://a.example/1;2"])
    }

    @Test("the manifest's delimiter is taken whatever the header shows, and others are refused")
    func set() throws {
        let items = try self.items("url;a,b\nhttps://a.example/1;x\n", more: #", "delimiter": ";""#)
        #expect(items.map(\.variables) == [["a,b": "x"]])
        for wrong in [
            #""delimiter": "ab""#, #""delimiter": """#, #""delimiter": "\"""#, #""delimiter": "\n""#,
            #""delimiter": "ü""#,
        ] {
            #expect(throws: ManifestErrors.self) { try self.items("url\nx\n", more: ", \(wrong)") }
        }
        #expect(throws: ManifestErrors.self) {
            try self.items("x\n", name: "a.txt", more: #", "delimiter": ";""#)
        }
    }

    @Test("CR alone ends lines, also in quoted fields", arguments: ["\r", "\n", "\r\n"])
    func lines(end: String) throws {
        let rows = ["url,title", "https://a.example/1,\"a\(end)b\"", "", "https://a.example/2,c"]
        let items = try self.items(rows.joined(separator: end))
        #expect(items.map(\.variables) == [["title": "a\(end)b"], ["title": "c"]])
        #expect(items.map(\.location) == ["a.csv:2", "a.csv:5"])
    }

    @Test("UTF-16 is refused by name")
    func wide() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(try #require("url\nx\n".data(using: .utf16)), to: "a.csv")
        let error = #expect(throws: ManifestErrors.self) {
            try folder.items(#"{"sources": [{"list": "a.csv"}]}"#)
        }
        #expect(error?.description.contains("UTF-16") == true)
    }

    @Test(
        "a quoted field over lines that may be rows is warned about with its lines",
        arguments: [
            ("id\turl\n1\t\"https://a/1\n2\thttps://a/2\"\n3\thttps://a/3\n", ["lines 2 to 3"]),
            (
                "id\turl\tname\n1\thttps://a/1\t\"big\n2\thttps://a/2\tx\n3\thttps://a/3\ty\"\n",
                ["lines 2 to 4", "tabs"]
            ),
            ("url\n\"https://a/1\nhttps://a/2\"\n", ["lines 2 to 3"]),
            ("url\tb\n1\t\"x\ny\"\n", []), ("url\tb\n\"1\t\"\t2\n", []),
            ("url\tb\tc\n1\t\"x\ny\tz\"\tc\n", []),
        ]
    )
    func swallowed(text: String, words: [String]) throws {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: "a.tsv")
        let reader = ItemReader(try folder.read(#"{"sources": [{"list": "a.tsv"}]}"#))
        while try reader.next() != nil {}
        #expect(reader.warnings.isEmpty == words.isEmpty)
        for word in words { #expect(reader.warnings.first?.contains(word) == true, "\(reader.warnings)") }
    }

    @Test("cells of CSV are texts, whatever they look like")
    func texts() throws {
        let items = try self.items("url,n,none\na.jpg,1.50,null\nb.jpg,true,\n", name: "a.csv")
        #expect(items.allSatisfy { $0.typedColumns.isEmpty })
        #expect(items.map(\.variables) == [["n": "1.50", "none": "null"], ["n": "true", "none": ""]])
    }

    @Test("JSON Lines with columns are a table: keys with their types")
    func table() throws {
        let lines = [
            #"{"image": "https://a.example/1", "sku": 7, "price": 1.50, "new": true, "old": null, "tags": ["a"], "prio": "high"}"#,
            #"{"sku": "x", "image": "https://a.example/2"}"#, #"{"sku": "y"}"#, #""https://a.example/3""#,
            "{", "",
            #"{"image": "https://a.example/4", "image": "https://a.example/5"}"#,
            #"{"image": "https://a.example/4", "prio": "hihg", "sku": "z"}"#,
        ]
        let columns = #", "columns": {"url": "image", "id": "sku", "priority": "prio"}"#
        let items = try self.items(
            lines.joined(separator: "\n"),
            name: "a.jsonl",
            more: #", "columns": {"url": "image"}"#
        )
        #expect(items.count == 7 && items[0].problem == nil && items[1].problem == nil)
        #expect(
            items[0].variables
                == ["sku": "7", "price": "1.50", "new": "true", "prio": "high", "tags": #"["a"]"#]
        )
        #expect(
            items[0].typedColumns
                == ["sku": "7", "price": "1.50", "new": "true", "old": "null", "tags": #"["a"]"#]
        )
        #expect(items[2].problem?.message.contains("no column \"image\"") == true)
        #expect(items[3].problem?.message.contains("a string, not an object") == true)
        #expect(items[4].problem?.message.contains("not JSON") == true)
        #expect(items[5].problem?.message.contains("two columns") == true)
        let named = try self.items(lines[0], name: "a.jsonl", more: columns)
        #expect(named[0].id == "7" && named[0].priority == .high && named[0].url == "https://a.example/1")
        let wrong = try self.items(lines[7], name: "a.jsonl", more: columns)
        #expect(wrong[0].problem?.message.contains("is not a priority") == true)
        // A list is no URL and no id.
        let nested = try self.items(
            #"{"image": ["b.jpg"], "sku": {}, "prio": null}"#,
            name: "a.jsonl",
            more: columns
        )
        #expect(nested[0].problem?.message == "the URL is empty" && nested[0].id == nil)
        // A null gives way to a variable of the source.
        let more = #", "columns": {"url": "image"}, "vars": {"old": "new", "sku": "0"}"#
        let given = try self.items(lines[0], name: "a.jsonl", more: more)
        #expect(given[0].variables["old"] == "new" && given[0].variables["sku"] == "7")
        #expect(given[0].typedColumns["old"] == nil && given[0].typedColumns["sku"] == "7")
    }
}
