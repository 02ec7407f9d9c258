import Foundation
import Imaging
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// Globs, templates, compressed sitemaps, queries, the schemes of URLs, and what a source says for all its items.
@Suite(.timeLimit(.minutes(10))) struct ItemSourceTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder()
    }

    @Test(
        "a glob is sorted, ** crosses folders, links that leave are not followed, and its folder may be read"
    )
    func glob() async throws {
        for (number, name) in ["b.jpg", "deep/a.png", "deep/er/c.png", "deep/d.gif", "x.txt"].enumerated() {
            try job.folder.write(try TestImages.tiny(number), to: "photos/\(name)")
        }
        try job.folder.write(try TestImages.tiny(9), to: "outside/secret.png")
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("photos/link"),
            withDestinationPath: "../outside"
        )
        try job.folder.write(
            """
            {"sources": [{"files": "../photos/**/*.{jpg,png}"}, {"files": "../photos/*.jpg"}],
             "outputs": [{"path": "{index}-{dir}-{stem}.{ext}", "format": "original"}], "cache": {"directory": "cache"}}
            """,
            to: "jobs/job.json"
        )
        let plan = try await job.nukeBatch("plan", "jobs/job.json")
        #expect(plan.output.contains("1 duplicate row"))
        let run = try await job.nukeBatch("run", "jobs/job.json")
        #expect(run.exit == 0, "\(run.output)")
        #expect(job.files(in: "jobs/out") == ["1--b.png", "2-deep-a.png", "3-deep/er-c.png"])
        // Another path to the same place is none that may be read.
        try job.folder.write(
            #"{"sources": [{"urls": ["../outside/secret.png"]}], "cache": {"directory": "cache"}}"#,
            to: "jobs/other.json"
        )
        let other = try await job.nukeBatch("run", "jobs/other.json")
        #expect(other.exit == 1 && other.output.contains("address 1"), "\(other.output)")
    }

    @Test(
        "what a job has made is never its source, below its destination or beside its originals",
        arguments: [
            ("out", "**/*.png", "{dir}/{stem}.{ext}"), ("photos", "photos/*.png", "{stem}-small.{ext}"),
        ]
    )
    func ownOutputs(destination: String, glob: String, path: String) async throws {
        for number in 1...3 { try job.folder.write(try TestImages.tiny(number), to: "photos/\(number).png") }
        func write(_ more: String) throws {
            try job.write(
                """
                "sources": [{"files": "\(glob)"}], "destination": "\(destination)",
                "outputs": [{"path": "\(path)", "format": "png"}]\(more)
                """
            )
        }
        try write("")
        try await job.run()
        for more in ["", #", "retry": {"attempts": 2}"#] {
            try write(more)
            let again = try await job.run()
            #expect(again.output.contains("nothing to do: 3 items"), "\(again.output)")
        }
        #expect(try await job.plan()["items"] as? Int == 3)
        try write(#", "retry": {"attempts": 3}"#)
        let told = try await job.run()
        #expect(told.output.contains("warning: 3 files were left out"), "\(told.output)")
    }

    @Test("a template is the product of its variables, and 08..10 keeps the width")
    func template() async throws {
        let source =
            #"{"template": "https://cdn.example/{sku}/{n}.jpg", "vars": {"sku": ["a", "b"], "n": "08..10"}}"#
        try job.write(#""sources": [\#(source)], "outputs": [{"path": "{sku}{n}.jpg"}]"#)
        let plan = try await job.nukeBatch("plan", "job.json", "--items")
        let expected = ["a", "b"].flatMap { sku in
            ["08", "09", "10"].map { "pending     https://cdn.example/\(sku)/\($0).jpg  new" }
        }
        #expect(Array(plan.lines.prefix(6)) == expected, "\(plan.output)")
        #expect(plan.output.contains("6 items"))
    }

    @Test("a compressed sitemap: images, and of pages those that are pictures by their ending")
    func sitemap() async throws {
        let text = """
            <?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
             xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>/page.html</loc>
             <image:image><image:loc>/1.png</image:loc></image:image></url><url><loc>/2.png</loc></url></urlset>
            """
        try job.folder.write(text, to: "map.xml")
        #expect(try await Program(path: "/bin/gzip", ["map.xml"], in: job.folder.path).wait().exit == 0)
        let (map, pictures) = (try job.data("map.xml.gz"), try (0...2).map { try TestImages.tiny($0) })
        let server = try LoopbackServer { request in
            switch request.path {
            case "/map.xml.gz": .data(map, type: "application/gzip")
            case "/1.png": .data(pictures[1])
            case "/2.png": .data(pictures[2])
            default: .status(404)
            }
        }
        try job.write(#""sources": [{"sitemap": "\#(server.address)/map.xml.gz"}]"#)
        try await job.run()
        #expect(
            try await job.items().map { $0["url"] as? String }
                == [1, 2].map { "\(server.address)/\($0).png" }
        )
    }

    @Test("a query's columns are an item's, and the database is not written")
    func query() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "1.png")
        do {
            let database = try Connection(path: job.folder.path("p.db"))
            try database.execute(
                "CREATE TABLE p(a, b, c, d); INSERT INTO p VALUES ('1.png', 42, 'high', 'red')"
            )
        }
        let before = try job.data("p.db")
        func write(_ query: String) throws {
            try job.write(
                """
                "sources": [{"sqlite": "p.db", "query": "\(query)"}],
                "outputs": [{"path": "{id}-{colour}.{ext}", "format": "original"}]
                """
            )
        }
        try write("select a as url, b as id, c as priority, d as colour from p")
        try await job.run()
        #expect(job.files() == ["42-red.png"])
        #expect(try await job.items().first?["priority"] as? String == "high")
        try write("delete from p returning a as url, b as id, d as colour")
        try await job.run(exit: 2)
        #expect(try job.data("p.db") == before)
    }

    @Test("files, bare paths and data: are read; what network.schemes leaves out is not")
    func schemes() async throws {
        let server = try LoopbackServer.tinyPictures()
        let picture = try TestImages.tiny(3)
        try job.folder.write(picture, to: "a b.png")
        let urls = [
            "a b.png", "file://\(job.folder.path)/a%20b.png",
            "data:image/png;base64,\(picture.base64EncodedString())",
            "\(server.address)/1.png",
        ]
        let sources = #""sources": [{"urls": [\#(urls.map { "\"\($0)\"" }.joined(separator: ", "))]}]"#
        try job.write(sources + #", "outputs": [{"path": "{index}.{ext}", "format": "original"}]"#)
        try await job.run()
        // Two ways to write one URL are one item.
        #expect(job.files() == ["1.png", "3.png", "4.png"])
        #expect(try job.data("out/1.png") == picture && job.data("out/3.png") == picture)
        try job.write(sources + #", "network": {"schemes": ["https", "data"]}"#, to: "job.json")
        try await job.run("--fresh", exit: 1)
        #expect(try await job.errors() == ["scheme", "-", "scheme"])
        #expect(server.requests.count == 1)
        try job.write(#""sources": [{"files": "*.png"}], "network": {"schemes": ["https", "data"]}"#)
        try await job.run("--fresh", exit: 1)
        #expect(try await job.errors() == ["scheme"])
        // What is in the URL itself needs no network.
        try job.write(#""sources": [{"urls": ["\#(urls[2])"]}]"#)
        try await job.run("--fresh", "--offline")
    }

    @Test(
        "a source's priority, headers and variables are its items', whose own come first; processors run in order"
    )
    func common() async throws {
        let server = try LoopbackServer.tinyPictures()
        try job.write(
            """
            "processors": [{"crop": {"rect": [0, 0, 4, 2]}}],
            "sources": [{"urls": ["\(server.address)/1.png", {"url": "\(server.address)/2.png", "id": "two",
                "priority": "veryHigh", "headers": {"x-a": "own"}, "vars": {"colour": "red"}}],
              "priority": "low", "headers": {"X-A": "source", "X-B": "source"}, "vars": {"colour": "blue", "n": "7"},
              "processors": [{"rotate": {"degrees": 90}}]}],
            "outputs": [{"path": "{colour}-{n}.{ext}", "processors": [{"pad": {"width": 3, "height": 6}}]}],
            "loading": {"headers": {"X-B": "all", "X-C": "all"}}
            """
        )
        try await job.run()
        #expect(try await job.items().map { $0["priority"] as? String } == ["low", "veryHigh"])
        let sent = server.requests.sorted { $0.path < $1.path }.map { request in
            ["x-a", "x-b", "x-c"].map { request.headers[$0] ?? "-" }
        }
        #expect(sent == [["source", "source", "all"], ["own", "source", "all"]])
        #expect(job.files() == ["blue-7.png", "red-7.png"])
        // Cut to 4 x 2, turned to 2 x 4, then padded.
        #expect(try job.image("out/red-7.png").size == PixelSize(width: 3, height: 6))
    }
}
