import JobFixtures
import Foundation
import JobManifest
import TestSupport
import Testing

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
        #expect(items[1].problem?.message == "the row has 1 fields, the header row has 2")
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
