import JobFixtures
@testable import JobManifest
import Testing

@Suite struct URLTemplateTests {
    private func manifest(_ template: String, _ vars: String) -> String {
        #"{"sources": [{"template": "\#(template)", "vars": \#(vars)}]}"#
    }

    private func template(
        _ template: String,
        _ vars: String,
        environment: [String: String] = [:]
    ) throws -> URLTemplate {
        let manifest = try ManifestFolder().read(manifest(template, vars), environment: environment)
        let kind = try #require(manifest.sources.first).kind
        let read: URLTemplate? = if case .template(let template) = kind { template } else { nil }
        return try #require(read)
    }

    @Test("every value gets to its variable's places, also twice")
    func url() throws {
        let template = try template(
            "https://a.example/{a}/{b}-x{a}.jpg",
            #"{"b": "8..9", "a": ["p", "q", 3]}"#
        )
        #expect(template.variables.map(\.name) == ["b", "a"] && template.count == 6)
        #expect(
            template.parts == [
                .text("https://a.example/"), .variable(1), .text("/"), .variable(0), .text("-x"),
                .variable(1),
                .text(".jpg"),
            ]
        )
        #expect(template.url(["8", "z"]) == "https://a.example/z/8-xz.jpg")
    }

    @Test("variables need no text between them")
    func neighbours() throws {
        let template = try template("{a}{b}", #"{"a": ["https://"], "b": ["x.example"]}"#)
        #expect(template.parts == [.variable(0), .variable(1)])
        #expect(template.url(["https://", "x.example"]) == "https://x.example")
    }

    @Test(
        "ranges run from bound to bound, padded if a bound is",
        arguments: [
            ("1..10", 10, "1", "10"), ("01..10", 10, "01", "10"), ("8..012", 5, "008", "012"),
            ("0..0", 1, "0", "0"), ("00..0", 1, "00", "00"), ("5..5", 1, "5", "5"),
            ("998..1001", 4, "998", "1001"), ("007..1000", 994, "0007", "1000"),
            ("0..999999999999999999", 1_000_000_000_000_000_000, "0", "999999999999999999"),
        ]
    )
    func ranges(range: String, count: Int, first: String, last: String) throws {
        let template = try template("https://a.example/{n}", #"{"n": "\#(range)"}"#)
        let values = template.variables[0].values
        #expect(values.count == count && template.count == count)
        #expect(values[0] == first && values[count - 1] == last)
    }

    @Test("listed values are as they are written")
    func lists() throws {
        let values = try template("https://a.example/{n}", #"{"n": ["a", 1, 2.50]}"#).variables[0].values
        #expect(values == .listed(["a", "1", "2.50"]) && values[2] == "2.50")
    }

    @Test("variables of the environment stay in the text")
    func environment() throws {
        let template = try template(
            "https://${HOST}/$1/{n}?k=$${n}&l={n}",
            #"{"n": "1..2"}"#,
            environment: ["HOST": "a.example"]
        )
        #expect(template.usesEnvironment)
        #expect(template.url(["5"]) == "https://${HOST}/$1/5?k=$${n}&l=5")
        #expect(try !self.template("https://a.example/$1/{n}", #"{"n": "1..2"}"#).usesEnvironment)
    }

    @Test("as many URLs as can be counted are taken, and no more")
    func count() throws {
        let range = "0..999999999999999999"
        let most = try template("{a}{b}", #"{"a": "\#(range)", "b": "1..9"}"#)
        #expect(most.count == 9_000_000_000_000_000_000)
        let errors = try ManifestFolder().errors(
            manifest("{a}{b}", #"{"a": "\#(range)", "b": "1..10"}"#)
        )
        #expect(errors.count == 1)
        #expect(errors[0].contains(": sources[0].vars: make too many URLs to count"), "\(errors)")
    }

    @Test(
        "what is no range is told",
        arguments: [
            ("a..z", "is not a range"), ("1..", "is not a range"), ("..2", "is not a range"),
            ("1-2", "is not a range"), ("+1..2", "is not a range"), ("-1..2", "is not a range"),
            ("1...2", "is not a range"), (" 1..2", "is not a range"), ("", "is not a range"),
            ("1000000000000000000..2", "is not a range"), ("2..1", "runs backwards"),
            ("010..9", "runs backwards"),
        ]
    )
    func wrongRanges(range: String, words: String) throws {
        let errors = try ManifestFolder().errors(manifest("https://a/{n}", #"{"n": "\#(range)"}"#))
        #expect(errors.count == 1)
        #expect(errors[0].contains(#": sources[0].vars.n: "\#(range)" \#(words)"#), "\(errors)")
    }

    @Test(
        "what is wrong is told at its place",
        arguments: [
            ("a/{n", #"{"n": "1..2"}"#, "template: has an unmatched brace"),
            ("a/n}", #"{"n": "1..2"}"#, "template: has an unmatched brace"),
            ("a/{}", #"{"n": "1..2"}"#, #"template: {} is not in "vars""#),
            (
                "a/{nn}", #"{"n": "1..2"}"#,
                #"template: {nn} is not in "vars": add it there; did you mean "n"?"#
            ),
            ("a/{n}", #"{"n": "1..2", "m": ["x"]}"#, "vars.m: {m} is not in the template"),
            ("a/{n}", #"{"n": []}"#, "vars.n: is empty: add a value"),
            ("a/{n}", #"{"n": 5}"#, "vars.n: should be a string, not a number"),
            ("a/{n}", #"{"n": ["a", [1]]}"#, "vars.n[1]: should be a string, not an array"),
            ("a/{id}", #"{"id": ["a"]}"#, "vars.id: {id} is a built-in path variable"),
            ("a/{a:b}", #"{"a:b": ["a"]}"#, #"vars["a:b"]: "a:b" is not a name of a path variable"#),
            ("a/{n}", "[]", "vars: should be an object, not an array"),
        ]
    )
    func wrong(template: String, vars: String, error: String) throws {
        let errors = try ManifestFolder().errors(manifest(template, vars))
        #expect(errors.contains { $0.contains(": sources[0].\(error)") }, "\(errors)")
    }
}
