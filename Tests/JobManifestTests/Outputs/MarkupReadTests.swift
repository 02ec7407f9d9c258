import JobFixtures
@testable import JobManifest
import Testing

/// `markup` of outputs, as a manifest has it.
@Suite struct MarkupReadTests {
    private func text(_ outputs: String, _ rest: String = "", columns: String = "alt") -> String {
        #"{"sources": [{"urls": [], "vars": {"\#(columns)": "x"}}], "outputs": [\#(outputs)]\#(rest)}"#
    }

    private func markups(_ outputs: String) throws -> [Markup] {
        try ManifestFolder().read(text(outputs)).markups
    }

    @Test("it has the outputs by format, the narrowest first, and the defaults")
    func formats() throws {
        let manifest = try ManifestFolder().read(
            text(
                """
                {"name": "a", "widths": [20, 10], "formats": ["webp", "same"], "markup": {"file": "x.json"}},
                {"name": "b", "format": "png", "existing": "keep", "markup": {"file": "{output}/{stem}.html",
                  "alt": "alt", "baseURL": "/img/"}}
                """
            )
        )
        let (first, second) = (manifest.markups[0], manifest.markups[1])
        #expect(
            first.name == "a" && first.sizes == "100vw" && first.altColumn == "alt" && first.baseURL == ""
        )
        #expect(first.formats.map(\.mediaType) == ["image/webp", nil])
        #expect(first.formats.map(\.outputs) == [["a-10-webp", "a-20-webp"], ["a-10-same", "a-20-same"]])
        #expect(first.path == "x.json" && first.existing == .replace)
        #expect(second.path == "b/{stem}.html" && second.existing == .keep && second.sizes == nil)
        #expect(second.formats.map(\.outputs) == [["b"]] && second.baseURL == "/img/")
        #expect(manifest.facts == [.placeholder])
        #expect(try ManifestFolder().read(text("{}")).facts.isEmpty)
    }

    @Test("the index of a partition has its number, snippets do not")
    func partitions() throws {
        var markups = try markups(
            #"{"name": "a", "markup": {"file": "a.b/x.json"}}, {"name": "b", "markup": {"file": "{id}.html"}}"#
        )
        let partition = try #require(Partition("1/4"))
        for index in markups.indices { markups[index].nameIndex(of: partition) }
        #expect(markups.map(\.path) == ["a.b/x-1-of-4.json", "{id}.html"])
    }

    @Test(
        "what cannot be written is an error that says what to do",
        arguments: [
            (#""markup": {}"#, #".markup: "file" is missing"#),
            (#""markup": {"file": ""}"#, ".markup.file: is empty"),
            (#""markup": {"file": "../x.json"}"#, ".markup.file: has a component .."),
            (#""markup": {"file": "x.html"}"#, ".markup.file: should end in .json, for an index"),
            (#""markup": {"file": "{id}.json"}"#, ".markup.file: should end in .html"),
            (#""markup": {"file": "{id}-{width}.html"}"#, ".markup.file: has {width}, which differs"),
            (#""markup": {"file": "{what}.html"}"#, ".markup: unknown variable {what}"),
            (#""markup": {"file": "x.json", "sizes": "5vw"}"#, ".markup.sizes: has no effect here"),
            (
                #""markup": {"file": "x.json", "alt": "alt2"}"#,
                #".markup: no source has the column or variable "alt2""#
            ),
            (#""markup": {"file": "x.json", "baseURL": "a b"}"#, ".markup.baseURL: should be a URL or path"),
            (#""markup": {"file": "x.json", "base": "a"}"#, ".markup.base: unknown key; did you mean"),
            (
                #""formats": ["same", "jpeg"], "markup": {"file": "x.json"}"#,
                ".formats: has a format that depends on the original: list it last"
            ),
            (
                #""path": "x.json", "markup": {"file": "x.json"}"#,
                ".markup: writes the same files as outputs[0]"
            ),
        ]
    )
    func errors(output: String, expected: String) throws {
        let errors = try ManifestFolder().errors(text("{\(output)}"))
        #expect(errors.count == 1 && errors[0].contains(": outputs[0]\(expected)"), "\(errors)")
    }

    @Test("two outputs cannot have one file, and a dataset has its own")
    func shared() throws {
        let two = #"{"name": "a", "markup": {"file": "x.json"}}, {"name": "b", "markup": {"file": "x.json"}}"#
        let errors = try ManifestFolder().errors(text(two))
        #expect(
            errors.count == 1 && errors[0].contains("outputs[1].markup: writes the same files as outputs[0]")
        )
        let packed = try ManifestFolder().errors(
            text(#"{"markup": {"file": "x.json"}}"#, #", "dataset": {"pack": "tar"}"#)
        )
        #expect(packed.count == 1 && packed[0].contains("outputs[0].markup: needs files of their own"))
    }

    @Test("a column that only rows can tell is no error")
    func unknownColumns() throws {
        let manifest = try ManifestFolder().read(
            #"{"sources": [{"urls": []}, {"list": "-", "as": "jsonl"}], "outputs": [{"markup": {"file": "x.json", "alt": "t"}}]}"#
        )
        #expect(manifest.markups.first?.altColumn == "t")
    }
}
