import JobFixtures
import JobManifest
import JobPlanning
import TestSupport
import Testing

@Suite struct TemplateRowsTests {
    private func items(_ template: String, _ vars: String) throws -> [PlannedItem] {
        try ManifestFolder().items(
            #"{"sources": [{"template": "\#(template)", "vars": \#(vars), "priority": "high"}]}"#
        )
    }

    @Test("the product of all variables, the last of which changes fastest, each a path variable")
    func product() throws {
        let items = try items(
            "https://a.example/{sku}/{n}-{sku}.jpg",
            #"{"sku": ["a", "b c", 7], "n": "1..2"}"#
        )
        #expect(
            items.map(\.url)
                == [
                    "https://a.example/a/1-a.jpg", "https://a.example/a/2-a.jpg",
                    "https://a.example/b c/1-b c.jpg",
                    "https://a.example/b c/2-b c.jpg", "https://a.example/7/1-7.jpg",
                    "https://a.example/7/2-7.jpg",
                ].map { $0.replacing(" ", with: "%20") }
        )
        #expect(items[5].variables == ["sku": "7", "n": "2"] && items[5].priority == .high)
        #expect(items[5].location == "sources[0].template[5]")
        #expect(items.map { $0.problem == nil } == Array(repeating: true, count: 6))
    }

    @Test(
        "ranges: counted, and as wide as they are written",
        arguments: [
            ("8..11", ["8", "9", "10", "11"]), ("08..11", ["08", "09", "10", "11"]), ("5..5", ["5"]),
            ("0..1", ["0", "1"]), ("1..002", ["001", "002"]), ("98..100", ["98", "99", "100"]),
        ]
    )
    func ranges(range: String, values: [String]) throws {
        let items = try items("https://a.example/{n}", #"{"n": "\#(range)"}"#)
        #expect(items.compactMap { $0.variables["n"] } == values)
        #expect(items.map(\.url) == values.map { "https://a.example/\($0)" })
    }

    @Test("a product that nobody could keep is begun at once")
    func huge() throws {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"template": "https://a.example/{a}/{b}", "vars": {"a": "1..1000000000", "b": "1..1000000000"}}]}"#
        )
        let reader = ItemReader(manifest)
        #expect(try reader.next()?.url == "https://a.example/1/1")
        #expect(try reader.next()?.url == "https://a.example/1/2")
    }

    @Test("variables of the environment are expanded when it is loaded, and stored as written")
    func environment() throws {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"template": "https://${HOST}/{n}?k=$${n}", "vars": {"n": ["${HOST}"]}}]}"#,
            environment: ["HOST": "a.example"]
        )
        let item = try #require(try ItemReader(manifest).next())
        #expect(item.url == "https://${HOST}/$%7BHOST%7D?k=$${n}")
        #expect(
            item.target == "https://a.example/$%7BHOST%7D?k=$%7Bn%7D"
                && manifest.target(of: item.url) == item.target
        )
    }

    @Test(
        "what is wrong is said where it stands",
        arguments: [
            (##"{"template": |"https://a/{n}"}"##, ##"sources[0].template: needs "vars""##),
            (
                ##"{"template": |"https://a/{nn}", "vars": {"n": "1..2"}}"##,
                ##"sources[0].template: {nn} is not in "vars": add it there; did you mean "n"?"##
            ),
            (
                ##"{"template": "https://a/{n}", "vars": {"n": "1..2", "m": |["x"]}}"##,
                "sources[0].vars.m: {m} is not in the template"
            ),
            (
                ##"{"template": |"https://a/{n", "vars": {"n": "1..2"}}"##,
                "sources[0].template: has an unmatched brace"
            ),
            (
                ##"{"template": "https://a/{n}", "vars": {"n": |"2..1"}}"##,
                ##"sources[0].vars.n: "2..1" runs backwards"##
            ),
            (
                ##"{"template": "https://a/{n}", "vars": {"n": |"a..z"}}"##,
                ##"sources[0].vars.n: "a..z" is not a range"##
            ),
            (##"{"template": "https://a/{n}", "vars": {"n": |[]}}"##, "sources[0].vars.n: is empty"),
            (
                ##"{"template": "https://a/{id}", "vars": {"id": |["a"]}}"##,
                "sources[0].vars.id: {id} is a built-in path variable"
            ),
            (
                ##"{"template": "{a}{b}", "vars": |{"a": "1..999999999999999999", "b": "1..999999999999999999"}}"##,
                "sources[0].vars: make too many URLs to count"
            ),
            (##"{"urls": [], "query": |"x"}"##, ##"sources[0].query: is only for "sqlite""##),
        ]
    )
    func errors(source: String, error: String) throws {
        let text = #"{"sources": [\#(source)]}"#
        let column = text.prefix { $0 != "|" }.count + 1
        let errors = try ManifestFolder().errors(text.replacing("|", with: ""))
        #expect(errors.contains { $0.hasPrefix("1:\(column): \(error)") }, "\(errors)")
    }
}
