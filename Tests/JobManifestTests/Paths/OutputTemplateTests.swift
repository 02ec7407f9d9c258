@testable import JobManifest
import Testing

@Suite struct OutputTemplateTests {
    private func path(_ template: String, name: String = "small", ext: String? = "jpg") throws -> OutputPath {
        try OutputPath(template, outputName: name, fixedExtension: ext)
    }

    @Test("a template is taken apart at its braces")
    func parts() throws {
        let path = try path("{name}/{index:3}-{index}/{id}{host}{dir}{stem}.{ext}x")
        #expect(
            path.parts == [
                .name("small"), .text("/"), .index(width: 3), .text("-"), .index(width: 0), .text("/"), .id,
                .host, .folders, .stem, .text("."), .text("jpg"), .text("x"),
            ]
        )
        #expect(path.description == "small/{index:3}-{index}/{id}{host}{dir}{stem}.jpgx")
        #expect(path.isKnownInPlanning && path.columns.isEmpty)
    }

    @Test(
        "what is known only later keeps the path from being known",
        arguments: ["ext", "width", "height", "hash", "shard"]
    )
    func late(name: String) throws {
        let path = try path("a{\(name)}", ext: nil)
        #expect(path.parts == [.text("a"), .late(try #require(OutputPath.Late(rawValue: name)))])
        #expect(!path.isKnownInPlanning && path.description == "a{\(name)}")
        #expect(path.planned(for: PlannedItem(testing: "https://a.example/")) == "a{\(name)}")
    }

    @Test("other variables are columns, in their order")
    func columns() throws {
        let path = try path("{sku}/{Index}-{a b}.{ext}")
        #expect(path.columns == ["sku", "Index", "a b"] && path.isKnownInPlanning)
        let item = PlannedItem(testing: "u", variables: ["sku": "x/y", "a b": "."])
        #expect(path.planned(for: item) == "x_y/-_.jpg")
    }

    @Test("the standard path is below the output's name")
    func standard() {
        let path = OutputPath(outputName: "a b", fixedExtension: "webp")
        #expect(path.description == "a_b/{host}/{dir}/{stem}.webp" && path.isKnownInPlanning)
        #expect(path.template == "{output}/{host}/{dir}/{stem}.{ext}")
        let late = OutputPath(outputName: "a", fixedExtension: nil)
        #expect(late.description == "a/{host}/{dir}/{stem}.{ext}" && !late.isKnownInPlanning)
    }

    @Test(
        "an index is padded to its width, and never cut",
        arguments: [
            ("{index}", "42"), ("{index}\u{301}", "42\u{301}"), ("{index:1}", "42"), ("{index:2}", "42"),
            ("{index:3}", "042"),
            ("{index:4}", "0042"), ("{index:18}", "000000000000000042"),
        ]
    )
    func index(template: String, expected: String) throws {
        #expect(try path(template).planned(for: PlannedItem(testing: "u", index: 42)) == expected)
    }

    @Test("an item without an id is named by its URL's digest")
    func ids() throws {
        let path = try path("{id}")
        let url = "https://a.example/a.jpg"
        #expect(path.planned(for: PlannedItem(testing: url, id: "a/1")) == "a_1")
        #expect(path.planned(for: PlannedItem(testing: url)) == "0eec940ca23e93a3")
        #expect(OutputPath.planned([path, path], for: PlannedItem(testing: "u", id: "1")) == ["1", "1"])
    }

    @Test(
        "what is no template is told",
        arguments: [
            ("", "is empty"), ("/a", "is absolute"), ("a/", "names a folder"), ("{dir}/", "names a folder"),
            ("a{b", "an unmatched brace"), ("a}b", "an unmatched brace"), ("{a{b}}", "an unmatched brace"),
            ("{}", "{} without a name"), ("{index:0}", "only {index:1} to {index:18}"),
            ("{index:19}", "only {index:1} to {index:18}"), ("{index:+3}", "only {index:1} to {index:18}"),
            ("{index:}", "only {index:1} to {index:18}"),
            ("{id:3}", "has {id:3}: only"), ("a:b", nil), ("{a:b}", "has {a:b}: only"),
            ("a\u{1F}", "a control character"), ("a\u{7F}", "a control character"), ("a ~", nil),
            ("..", "a component .."), ("a/../b", "a component .."), ("a/.", "a component ."), ("a/..b", nil),
            ("...", nil), ("./a", "a component ."), ("a//b", nil),
        ] as [(String, String?)]
    )
    func wrong(template: String, words: String?) {
        do {
            _ = try OutputPath(template, outputName: "small", fixedExtension: "jpg")
            #expect(words == nil)
        } catch {
            #expect(words.map(error.message.contains) == true, "\(error.message)")
        }
    }

    @Test("no name of the template itself has more than 255 bytes")
    func long() throws {
        let name = String(repeating: "a", count: 255)
        #expect(try path("\(name)/\(name)").description.utf8.count == 511)
        #expect(throws: TextError.self) { try path("b/\(name)a") }
        let filled = String(repeating: "a", count: 251)
        #expect(throws: Never.self) { try path(filled + ".{ext}") }
        #expect(throws: TextError.self) { try path(filled + "a.{ext}") }
    }

    @Test("everything that was late is filled in, however often it comes")
    func finished() throws {
        let facts = OutputFacts(fileExtension: "png", width: 30, height: 20, hash: "0123abcd")
        let planned = "{shard}/{hash}/{width}x{height}-{width}.{ext}"
        #expect(try path(planned).finished(planned, with: facts) == "01/0123abcd/30x20-30.png")
        #expect(try path("a").finished("//a", with: facts) == "//a")
        #expect(try path("a/{ext}", ext: nil).finished("a//{ext}", with: facts) == "a/png")
    }
}
