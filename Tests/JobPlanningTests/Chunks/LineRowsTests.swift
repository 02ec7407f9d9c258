import JobFixtures
import JobManifest
import TestSupport
import Testing

@Suite struct LineRowsTests {
    private func items(_ text: String) throws -> [PlannedItem] {
        let folder = try ManifestFolder()
        try folder.folder.write(text, to: "a.jsonl")
        return try folder.items(
            #"{"sources": [{"list": "a.jsonl"}], "outputs": [{"path": "{colour}/{id}.{ext}", "format": "png"}]}"#
        )
    }

    @Test("strings and objects, blank lines, CR LF")
    func rows() throws {
        let items = try items(
            """
            {"url": "https://a.example/1", "id": "x", "priority": "high", "vars": {"colour": "red"}, "headers": {"A": "b"}}\r

            {"vars": {"colour": 5}, "url": "https:\\/\\/a.example\\/2"}
            """
        )
        #expect(items.map(\.url) == ["https://a.example/1", "https://a.example/2"])
        #expect(items[0].id == "x" && items[0].priority == .high && items[0].headers == ["A": "b"])
        #expect(items.map { $0.variables["colour"] } == ["red", "5"])
        #expect(items.map(\.location) == ["a.jsonl:1", "a.jsonl:3"])
        #expect(items.allSatisfy { $0.problem == nil })
    }

    @Test(
        "rows that are none fail with what is wrong",
        arguments: [
            ("{\"url\": \"https://a.example/1\",}", "not JSON, column 30"),
            ("5", "should be an object, not a number"),
            ("{\"id\": \"x\"}", "\"url\" is missing"),
            ("{\"url\": \"a\", \"idd\": 1}", "idd: unknown key; did you mean \"id\"?"),
            ("{\"url\": \"a\", \"url\": \"b\"}", "url: duplicate key"),
            ("{\"url\": \"a\", \"headers\": {\"A\": \"\\r\\n\"}}", "headers.A: the value holds a line break"),
            ("\"https://a.example/1\"", "the row has no \"colour\""),
            ("{\"url\": \"https://a b.example/\", \"vars\": {\"colour\": \"x\"}}", "invalid character"),
        ]
    )
    func problems(text: String, expected: String) throws {
        let items = try items(text)
        #expect(items.count == 1)
        #expect(items[0].problem?.message.contains(expected) == true, "\(items[0].problem?.message ?? "")")
    }
}
