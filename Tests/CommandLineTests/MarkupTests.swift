import Foundation
import FoundationXML
import Imaging
import TestSupport
import Testing

/// `markup` of an output: what a run writes for pages, and what other commands know of it.
@Suite(.timeLimit(.minutes(10))) struct MarkupTests {
    private static let index = #""markup": {"file": "images.json", "sizes": "50vw"}"#
    private static let snippets = #""markup": {"file": "html/{id}.html"}"#

    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for width in [300, 1000, 2000] {
            try job.folder.write(try TestImages.gradient(width: width, height: 100), to: "w\(width).png")
        }
    }

    private func entry(_ width: Int, id: String? = nil, alt: String = "") throws -> String {
        let entry: [String: Any] = [
            "url": "w\(width).png", "id": id ?? "i\(width)", "vars": ["alt": alt],
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: entry), as: UTF8.self)
    }

    private func write(
        _ markup: String,
        _ entries: [String],
        variants: String =
            #""widths": [400, 800, 1600], "formats": ["webp", "jpeg"], "path": "i/{stem}-{width}.{ext}""#,
        rest: String = ""
    ) throws {
        try job.write(
            """
            "sources": [{"urls": [\(entries.joined(separator: ", "))]}],
            "outputs": [{"name": "photo", \(variants), \(markup)}]\(rest)
            """
        )
    }

    private func all() throws -> [String] { try [300, 1000, 2000].map { try entry($0) } }

    private func index(_ path: String = "out/images.json") throws -> [String: [String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: job.data(path)) as? [String: [String: Any]])
    }

    /// The elements of a snippet in their order, by name and attributes, by an XML parser.
    private func elements(_ text: String) throws -> [(name: String, attributes: [String: String])] {
        let reader = ElementReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(text): \(String(describing: parser.parserError))")
        return reader.elements
    }

    private func warnings(_ outcome: Program.Outcome) throws -> [String] {
        try #require(try job.end(outcome)["warnings"] as? [String])
    }

    @Test("an index has an entry for each item, with the images that there are; a second run touches nothing")
    func indexed() async throws {
        try write(Self.index, try [entry(300), entry(1000, alt: "Moon"), entry(2000)])
        try await job.run()
        let index = try index()
        #expect(Set(index.keys) == ["i300", "i1000", "i2000"])
        let entry = try #require(index["i1000"])
        #expect(entry["width"] as? Int == 1000 && entry["height"] as? Int == 100)
        #expect(entry["alt"] as? String == "Moon" && index["i300"]?["alt"] as? String == "")
        #expect(index["i300"]?["width"] as? Int == 300 && index["i2000"]?["width"] as? Int == 1600)
        let sources = try #require(entry["sources"] as? [[String: String]])
        #expect(
            sources
                == ["webp", "jpg"].map { ext in
                    [
                        "type": ext == "jpg" ? "image/jpeg" : "image/webp",
                        "srcset": [400, 800, 1000].map { "i/w1000-\($0).\(ext) \($0)w" }.joined(
                            separator: ", "
                        ),
                    ]
                }
        )
        let placeholder = try #require(entry["placeholder"] as? String)
        #expect(placeholder.hasPrefix("data:image/png;base64,") && placeholder.utf8.count <= 400)
        let elements = try elements(try #require(entry["picture"] as? String))
        #expect(elements.map(\.name) == ["picture", "source", "img"])
        #expect(
            elements[1].attributes == [
                "type": "image/webp", "srcset": sources[0]["srcset"] ?? "", "sizes": "50vw",
            ]
        )
        #expect(
            elements[2].attributes == [
                "src": "i/w1000-1000.jpg", "srcset": sources[1]["srcset"] ?? "", "sizes": "50vw",
                "width": "1000", "height": "100", "alt": "Moon", "loading": "lazy", "decoding": "async",
            ]
        )
        let files = job.files()
        let times = try files.map { try job.modified("out/\($0)") }
        #expect(try await job.run().output.hasPrefix("nothing to do: 3 items"))
        #expect(job.files() == files)
        #expect(try files.map { try job.modified("out/\($0)") } == times)
        #expect(!files.contains { $0.hasSuffix(".part") })
    }

    @Test("another `sizes` writes the markup again and no image; an index that is gone comes back")
    func changed() async throws {
        try write(Self.index, try all())
        try await job.run()
        let image = try job.modified("out/i/w1000-800.webp")
        try write(
            #""markup": {"file": "images.json", "sizes": "25vw", "baseURL": "https://cdn.example/a"}"#,
            try all()
        )
        #expect(try job.end(try await job.run("--json"))["made"] as? Int == 0)
        #expect(try job.modified("out/i/w1000-800.webp") == image)
        let picture = try #require(try index()["i300"]?["picture"] as? String)
        let shown = try elements(picture)
        #expect(shown.last?.attributes["sizes"] == "25vw")
        #expect(shown.last?.attributes["src"] == "https://cdn.example/a/i/w300-300.jpg")
        let bytes = try job.data("out/images.json")
        try FileManager.default.removeItem(atPath: job.folder.path("out/images.json"))
        try await job.run()
        #expect(try job.data("out/images.json") == bytes)
    }

    @Test("a new item writes its own snippet alone; one that left is for prune")
    func snippets() async throws {
        try write(Self.snippets, try [entry(300), entry(1000)])
        try await job.run()
        #expect(job.files().filter { $0.hasPrefix("html") } == ["html/i1000.html", "html/i300.html"])
        let text = String(decoding: try job.data("out/html/i300.html"), as: UTF8.self)
        #expect(text.hasPrefix("<picture><source ") && text.hasSuffix("</picture>\n"))
        #expect(try elements(text).last?.attributes["sizes"] == "100vw")
        let times = try ["i300", "i1000"].map { try job.modified("out/html/\($0).html") }
        try write(Self.snippets, try all())
        try await job.run()
        #expect(job.files().contains("html/i2000.html"))
        #expect(try ["i300", "i1000"].map { try job.modified("out/html/\($0).html") } == times)

        try write(Self.snippets, try [entry(300), entry(2000)])
        try await job.run()
        let listed = try await job.nukeBatch("prune", "job.json")
        #expect(listed.output.contains("html/i1000.html") && !listed.output.contains("html/i300.html"))
        #expect(try await job.nukeBatch("prune", "job.json", "--delete").exit == 0)
        #expect(job.files().filter { $0.hasPrefix("html") } == ["html/i2000.html", "html/i300.html"])
        // Without markup, all snippets are orphaned.
        try write(#""metadata": "strip""#, try [entry(300), entry(2000)])
        try await job.run()
        #expect(try await job.nukeBatch("prune", "job.json", "--delete").exit == 0)
        #expect(!job.files().contains { $0.hasPrefix("html") } && job.files().contains("i/w300-300.webp"))
    }

    @Test("verify finds a damaged snippet, and --repair writes it again without an image")
    func repaired() async throws {
        try write(Self.snippets, try all())
        try await job.run()
        let text = try job.data("out/html/i300.html")
        let image = try job.modified("out/i/w300-300.jpg")
        try job.folder.write("damaged", to: "out/html/i300.html")
        let damaged = try await job.nukeBatch("verify", "job.json")
        #expect(damaged.exit == 1 && damaged.output.contains("html/i300.html"), "\(damaged.output)")
        #expect(try await job.nukeBatch("verify", "job.json", "--repair").exit == 0)
        #expect(try job.data("out/html/i300.html") == text && job.modified("out/i/w300-300.jpg") == image)
        #expect(try await job.nukeBatch("verify", "job.json").exit == 0)
    }

    @Test("no id, path or alt becomes markup")
    func hostile() async throws {
        let alt = "\"'><script>alert(1)</script> & &amp; \u{1}\n\u{200D}é"
        let id = "\"><img src=x onerror='alert(1)'>&"
        try job.write(
            """
            "sources": [{"list": "list.jsonl"}],
            "outputs": [{"name": "p <&", "widths": [100, 200], "format": "png", "path": "a, b&{output} {id}.png",
              "markup": {"file": "images.json", "sizes": "calc(1px + \\"'<&)"}},
             {"name": "q", "format": "png", "path": "q/{stem}.png", "markup": {"file": "{id}.html"}}]
            """
        )
        let row: [String: Any] = ["url": "w300.png", "id": id, "vars": ["alt": alt]]
        let line = try JSONSerialization.data(withJSONObject: row)
        try job.folder.write(String(decoding: line, as: UTF8.self) + "\n", to: "list.jsonl")
        try await job.run()
        let index = try index()
        #expect(index.count == 1)
        let entry = try #require(index.first?.value)
        #expect(entry["alt"] as? String == alt)
        let shown = try elements(try #require(entry["picture"] as? String))
        #expect(shown.map(\.name) == ["picture", "img"])
        let attributes = try #require(shown.last?.attributes)
        #expect(attributes["alt"] == "\"'><script>alert(1)</script> & &amp;   \u{200D}é")
        #expect(attributes["sizes"] == "calc(1px + \"'<&)")
        // Every image of the srcset is there: nothing in a path divides it.
        let candidates = try #require(attributes["srcset"]?.components(separatedBy: ", "))
        #expect(candidates.count == 2)
        for candidate in candidates {
            let url = String(try #require(candidate.split(separator: " ").first))
            #expect(job.files().contains(try #require(url.removingPercentEncoding)), "\(candidate)")
        }
        let snippet = try #require(job.files().first { $0.hasSuffix(".html") })
        let plain = try elements(String(decoding: try job.data("out/\(snippet)"), as: UTF8.self))
        #expect(plain.map(\.name) == ["picture", "img"])
        #expect(plain[1].attributes["srcset"] == nil && plain[1].attributes["width"] == "300")
    }

    @Test("the first of several items with one id or path has it, and the run tells the others")
    func taken() async throws {
        let entries = try [entry(1000, id: "x"), entry(300, id: "x"), entry(2000, id: "x")]
        try write(Self.index, entries)
        let warned = try warnings(try await job.run("--json"))
        #expect(
            warned.count == 1 && warned[0].contains("lacks 2 items")
                && warned[0].contains("sources[0].urls[1]")
        )
        #expect(try index().mapValues { $0["width"] as? Int } == ["x": 1000])
        try write(Self.snippets, entries)
        let others = try warnings(try await job.run("--json"))
        #expect(others.count == 1 && others[0].contains("2 snippets not written"), "\(others)")
        #expect(others[0].contains("html/x.html of sources[0].urls[1]"), "\(others)")
        #expect(String(decoding: try job.data("out/html/x.html"), as: UTF8.self).contains("w1000-1000.jpg"))
    }

    @Test(
        "a row without a column of the snippet's path is a failed item, as one without a column of an image's path is"
    )
    func missingColumn() async throws {
        try job.folder.write(
            """
            {"url": "w300.png", "vars": {"sku": "a", "title": "One"}}
            {"url": "w1000.png"}

            """,
            to: "list.jsonl"
        )
        try job.write(
            """
            "sources": [{"list": "list.jsonl"}],
            "outputs": [{"format": "png", "path": "{stem}.png", "markup": {"file": "{sku}.html", "alt": "title"}}]
            """
        )
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["-", "bad_url"])
        #expect(job.files() == ["a.html", "w300.png"])
        let snippet = String(decoding: try job.data("out/a.html"), as: UTF8.self)
        #expect(try elements(snippet).last?.attributes["alt"] == "One")
        // Another text is no reason to load or make anything.
        let image = try job.modified("out/w300.png")
        try job.folder.write(
            #"{"url": "w300.png", "vars": {"sku": "a", "title": "Two"}}"# + "\n",
            to: "list.jsonl"
        )
        #expect(try job.end(try await job.run("--json"))["made"] as? Int == 0)
        let changed = String(decoding: try job.data("out/a.html"), as: UTF8.self)
        #expect(try elements(changed).last?.attributes["alt"] == "Two")
        #expect(try job.modified("out/w300.png") == image)
    }

    @Test("a file that nobody wrote stays where existing files are kept; one of the run itself is replaced")
    func kept() async throws {
        let keep = #""existing": "keep", "#
        try job.folder.write("mine", to: "out/images.json")
        try write(keep + Self.index, try [entry(300)])
        let warned = try warnings(try await job.run("--json"))
        #expect(warned.count == 1 && warned[0].contains("images.json: move it away"), "\(warned)")
        #expect(try job.data("out/images.json") == Data("mine".utf8))
        try FileManager.default.removeItem(atPath: job.folder.path("out/images.json"))
        try await job.run()
        #expect(try index().count == 1)
        try write(keep + Self.index, try all())
        #expect(try warnings(try await job.run("--json")).isEmpty)
        #expect(try index().count == 3)
    }

    @Test("a run that ends early writes what is done so far; failed items have no entry")
    func early() async throws {
        try job.folder.write("no image", to: "w7.png")
        try write(Self.index, try all() + [entry(7)])
        try await job.run("--limit", "1", exit: 5)
        #expect(try index().keys.sorted() == ["i300"])
        try await job.run(exit: 1)
        #expect(try index().keys.sorted() == ["i1000", "i2000", "i300"])
    }

    @Test("each partition has an index of its own")
    func partitions() async throws {
        try write(Self.index, try all())
        for number in 1...2 { try await job.run("--shard", "\(number)/2") }
        let parts = try (1...2).map { try index("out/images-\($0)-of-2.json") }
        #expect(parts[0].count + parts[1].count == 3)
        #expect(Set(parts.flatMap(\.keys)) == ["i300", "i1000", "i2000"])
        #expect(!job.files().contains("images.json"))
    }

    @Test("one output has no markup of its own; the next whole run writes it")
    func oneOutput() async throws {
        try write(Self.index, try [entry(300)])
        try await job.run("--only-output", "photo-400-webp")
        #expect(!job.files().contains("images.json"))
        try await job.run()
        #expect(try index().count == 1)
    }

    @Test("markup beside the sources is never a source")
    func ownFiles() async throws {
        try FileManager.default.createDirectory(
            atPath: job.folder.path("in"),
            withIntermediateDirectories: true
        )
        try job.folder.write(try TestImages.gradient(width: 30, height: 10), to: "in/a.png")
        try job.write(
            """
            "sources": [{"files": "in/*"}], "destination": ".",
            "outputs": [{"format": "png", "path": "out/{stem}.{ext}", "markup": {"file": "in/{stem}.html"}},
             {"name": "b", "format": "png", "path": "b/{stem}.{ext}", "markup": {"file": "in/images.json"}}]
            """
        )
        try await job.run()
        #expect(job.files(in: "in") == ["a.html", "a.png", "images.json"])
        #expect(try await job.run().output.hasPrefix("nothing to do: 1 item"))
        try await job.run("--fresh")
        #expect(try await job.items().count == 1)
    }
}

/// Collects the elements of a text.
private final class ElementReader: NSObject, XMLParserDelegate {
    private(set) var elements: [(name: String, attributes: [String: String])] = []

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements.append((name, attributes))
    }
}
