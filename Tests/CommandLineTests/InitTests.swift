import Foundation
import TestSupport
import Testing

/// `init` writes manifests that run as they are, and asks questions on a terminal only.
@Suite(.timeLimit(.minutes(10))) struct InitTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
        for (name, width) in [("photos/a.png", 600), ("photos/deep [1]/b.PNG", 300)] {
            try job.folder.write(try TestImages.gradient(width: width, height: 40), to: name)
        }
    }

    @Test(
        "the obvious column is taken although some of its cells are bad, which are counted",
        arguments: [
            ("a.csv", "sku;bild\n1;photos/a.png\n2;\n3;https://a.example/a b.jpg\n4;n/a\n", "bild"),
            ("a.tsv", "sku\tbild\r1\ta.png\r2\t\r3\thttps://a.example/b.jpg\r4\t//a.example/c.jpg\r", "bild"),
            ("a.jsonl", #"{"sku": 1, "img": "a.png"}"# + "\n{\"sku\": 2, \"img\": null}\n", "img"),
        ]
    )
    func badCells(name: String, text: String, column: String) async throws {
        try job.folder.write(text, to: name)
        let outcome = try await job.nukeBatch("init", name)
        let place = name == "a.csv" ? "a.csv:3" : name == "a.tsv" ? "a.tsv:3" : "a.jsonl:2"
        let count = "1 of them without a usable URL, the first in \(place): the URL is empty"
        #expect(outcome.output.contains(count), "\(outcome.output)")
        let manifest = try String(contentsOfFile: job.folder.path("thumbnails.json"), encoding: .utf8)
        #expect(manifest.contains("\"columns\": {\"url\": \"\(column)\", \"id\": \"sku\"}"), "\(manifest)")
        #expect(try await job.nukeBatch("validate", "thumbnails.json").exit == 0)
    }

    /// Runs `init`, then the command that it prints.
    private func run(_ words: String..., at location: SourceLocation = #_sourceLocation) async throws {
        let written = try await Program.run("nuke-batch", ["init"] + words, in: job.folder.path)
        #expect(written.exit == 0, "\(written.errors)", sourceLocation: location)
        let next = try #require(written.lines.last?.components(separatedBy: "run it: nuke-batch ").last)
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let run = try await Program(path: "/bin/sh", ["-c", "\(program) \(next)"], in: job.folder.path).wait()
        #expect(run.exit == 0, "\(run.output)\(run.errors)", sourceLocation: location)
    }

    @Test("of a folder, in another folder than the manifest's")
    func folder() async throws {
        try await run("photos", "-o", "jobs/night/photos.json")
        #expect(job.files() == ["a-400.webp", "a-600.webp", "deep__1_/b-300.webp"])
        let text = try String(contentsOfFile: job.folder.path("jobs/night/photos.json"), encoding: .utf8)
        #expect(text.contains("../../photos/**/*.{jpg") && text.contains("// "), "\(text)")
        #expect(try await job.nukeBatch("validate", "jobs/night/photos.json").exit == 0)
    }

    @Test("of the working directory, whose outputs are no sources")
    func workingDirectory() async throws {
        try await run()
        #expect(job.files() == ["photos/a-400.webp", "photos/a-600.webp", "photos/deep__1_/b-300.webp"])
        let again = try await job.nukeBatch("run", "thumbnails.json")
        #expect(again.output.hasPrefix("nothing to do: 2 items"), "\(again.output)")
    }

    @Test("of a list: the columns of URLs and of identifiers are found")
    func list() async throws {
        try job.folder.write(
            "colour,sku,picture\nred,x-1,photos/a.png\nblue,x-2,\"photos/deep [1]/b.PNG\"\n",
            to: "lists/products.csv"
        )
        try await run("lists/products.csv", "-o", "jobs/products.json")
        #expect(job.files() == ["x-1-400.webp", "x-1-600.webp", "x-2-300.webp"])
        let text = try String(contentsOfFile: job.folder.path("jobs/products.json"), encoding: .utf8)
        #expect(text.contains(#""columns": {"url": "picture", "id": "sku"}"#), "\(text)")
        #expect(text.contains("colour, sku, picture"))
        let ambiguous = try await job.nukeBatch("init", "lists/products.csv:picure", "-o", "x.json")
        #expect(ambiguous.exit == 2 && ambiguous.errors.contains("did you mean picture?"))
    }

    @Test("of an empty folder, a text list, a URL and a site")
    func others() async throws {
        try FileManager.default.createDirectory(
            atPath: job.folder.path("empty"),
            withIntermediateDirectories: true
        )
        let empty = try await job.nukeBatch("init", "empty", "-o", "empty.json")
        #expect(empty.exit == 0 && empty.output.contains("no images yet"), "\(empty.output)")
        #expect(try await job.nukeBatch("run", "empty.json").exit == 0)
        try job.folder.write("photos/a.png\n", to: "list.txt")
        try await run("list.txt", "-o", "list.json")
        for (url, expected) in [
            ("https://a.example/1.jpg", #""urls": ["https://a.example/1.jpg"]"#),
            ("https://a.example", #""sitemap": "https://a.example/sitemap.xml""#),
            ("https://a.example/map.xml.gz", #""sitemap": "https://a.example/map.xml.gz""#),
        ] {
            let name = "\(url.count).json"
            #expect(try await job.nukeBatch("init", url, "-o", name).exit == 0)
            let text = try String(contentsOfFile: job.folder.path(name), encoding: .utf8)
            #expect(text.contains(expected), "\(text)")
            #expect(try await job.nukeBatch("validate", name).exit == 0)
        }
    }

    @Test("what exists is never written over, and what is not there is exit 2")
    func refused() async throws {
        try job.folder.write("mine", to: "thumbnails.json")
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("link.json"),
            withDestinationPath: "nowhere.json"
        )
        for words in [
            ["init", "photos"], ["init", "photos", "-o", "link.json"], ["init", "photos", "-o", "photos"],
            ["init", "photos", "-o", "new/"], ["init", "photo", "-o", "new.json"],
            ["init", "-", "-o", "new.json"],
        ] {
            let outcome = try await Program.run("nuke-batch", words, in: job.folder.path)
            #expect(outcome.exit == 2 && outcome.output.isEmpty, "\(words): \(outcome.errors)")
        }
        #expect(try job.data("thumbnails.json") == Data("mine".utf8))
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("nowhere.json")))
        #expect(!FileManager.default.fileExists(atPath: job.folder.path("new.json")))
    }

    @Test("a manifest may have a name of one character", arguments: ["a", "-", "é"])
    func shortName(name: String) async throws {
        let outcome = try await job.nukeBatch("init", "photos", "-o", name)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        #expect(try job.data(name).count > 0)
    }

    @Test("on a terminal it asks four questions; elsewhere none")
    func questions() async throws {
        let program = Program.folder.appendingPathComponent("nuke-batch").path
        let asked = try await Program(
            path: "/usr/bin/script",
            ["-qec", "\(program) init photos", "/dev/null"],
            in: job.folder.path,
            input: "wide\n200\n\nsmall\nasked.json\n"
        ).wait()
        #expect(asked.exit == 0 && asked.output.contains("It takes one or more numbers"), "\(asked.output)")
        let text = try String(contentsOfFile: job.folder.path("asked.json"), encoding: .utf8)
        #expect(text.contains(#""width": 200"#) && text.contains(#""format": "webp""#), "\(text)")
        #expect(text.contains(#""destination": "small""#) && !text.contains("widths"), "\(text)")
        let silent = try await job.nukeBatch("init", "photos", input: "200\n")
        #expect(silent.exit == 0 && silent.errors.isEmpty && !silent.output.contains("?"))
    }
}
