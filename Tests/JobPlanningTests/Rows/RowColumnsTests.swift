import Foundation
import JobFixtures
import JobManifest
import TestSupport
import Testing

@Suite struct RowColumnsTests {
    private func items(_ text: String, more: String = "") throws -> [PlannedItem] {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: "a.csv")
        return try folder.items(#"{"sources": [{"list": "a.csv"\#(more)}]}"#)
    }

    @Test("a header of a URL alone, in any column, with spaces kept in names")
    func header() throws {
        #expect(try items("url\nhttps://a.example/1\n").map(\.url) == ["https://a.example/1"])
        let item = try #require(try items("a b,,url\n1,2,https://a.example/1\n").first)
        #expect(item.variables == ["a b": "1"], "a column without a name is passed over")
    }

    @Test("a field of quotes alone, a row of commas, a carriage return in a field")
    func oddities() throws {
        let found = try items("url,a\n\"https://a.example/1\",\"\"\"\"\nhttps://a.example/2,\"\r\"\n,\n")
        #expect(found.map { $0.variables["a"] } == ["\"", "\r", ""])
        #expect(found.map { $0.problem == nil } == [true, true, false])
    }

    @Test("an empty id and an empty priority are none")
    func empty() throws {
        let found = try items("url,id,priority\nhttps://a.example/1,,\nhttps://a.example/2,x,low\n")
        #expect(found.map(\.id) == [nil, "x"] && found.map(\.priority) == [.normal, .low])
        #expect(found.allSatisfy { $0.variables.isEmpty })
    }

    @Test("JSON lines: strings and objects, blank lines, columns that rows do not share")
    func jsonLines() throws {
        let folder = try ManifestFolder()
        try folder.folder.write(
            """
            "https://a.example/1"
            \t
            {"url": "https://a.example/2", "id": "x", "vars": {"colour": "red"}}
            [1]
            {"id": "y"}
            """,
            to: "a.jsonl"
        )
        let found = try folder.items(#"{"sources": [{"list": "a.jsonl"}]}"#)
        #expect(found.map(\.location) == ["a.jsonl:1", "a.jsonl:3", "a.jsonl:4", "a.jsonl:5"])
        #expect(found.map { $0.problem == nil } == [true, true, false, false])
        #expect(found[1].id == "x" && found[1].variables == ["colour": "red"])
    }
}
