import Foundation
import LoopbackServer
import SQLite
import TestSupport
import Testing

/// Addresses as people write them, from each kind of source to the server.
@Suite(.timeLimit(.minutes(10))) struct BrowserAddressTests {
    private let job: JobFolder
    private let server: LoopbackServer

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer { request in
            switch request.path {
            case "/moved": .redirect(to: "\\folder\\a ü.png#x")
            case "/away": .redirect(to: "file:///etc/passwd")
            default: .data((try? TestImages.tiny(1)) ?? Data(), type: "image/png")
            }
        }
    }

    private var paths: [String] {
        server.requests.map { $0.path + ($0.query.isEmpty ? "" : "?\($0.query)") }.sorted()
    }

    private func write(_ source: String) throws {
        try job.write(
            """
            "sources": [\(source)], "outputs": [{"format": "original", "path": "{index}.{ext}"}], "retry": {"attempts": 1}
            """
        )
    }

    @Test("fragments and the hosts' spellings are one picture with one request, at one host")
    func fragments() async throws {
        let port = server.port
        let rows = (1...6).map { "http://127.0.0.1:\(port)/a.png#\($0)" }
        try job.folder.write(rows.joined(separator: "\n"), to: "urls.txt")
        try write(#"{"list": "urls.txt"}"#)
        try await job.run()
        #expect(paths == ["/a.png"])
        #expect(try await job.items().count == 1)

        let spellings = [
            "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "１２７.0.0.1", "%3127.0.0.1",
        ]
        try job.folder.write(
            spellings.enumerated().map { "http://\($1):\(port)/b\($0).png" }.joined(separator: "\n"),
            to: "urls.txt"
        )
        try await job.run()
        let state = try Connection(path: job.folder.path(".nuke-batch/job.sqlite"), mode: .readOnly)
        let name = "127.0.0.1:\(port)"
        #expect(try state.integer("SELECT count(*) FROM host") == 1)
        #expect(try state.integer("SELECT count(*) FROM host WHERE name = '\(name)'") == 1)
        #expect(server.requests.count == 1 + spellings.count)
    }

    @Test("a policy refuses a private address in every notation")
    func policy() async throws {
        try job.write(
            """
            "sources": [{"urls": ["http://127.1:\(server.port)/a", "http://0x7f000001:\(server.port)/a", "http://[::ffff:7f00:1]:\(server.port)/a",
              "http://2130706433:\(server.port)/a"]}], "outputs": [{"format": "original"}], "network": {}
            """
        )
        try await job.run(exit: 1)
        #expect(
            try await job.errors() == ["address", "address", "address", "address"] && server.requests.isEmpty
        )
    }

    @Test(
        "each source reads addresses as browsers do",
        arguments: ["urls", "txt", "csv", "jsonl", "table", "template", "sqlite", "sitemap"]
    )
    func sources(kind: String) async throws {
        let start = "http:\\\\127.0.0.1:\(server.port)\\"
        let urls = ["a b.png#1", "ü.png", "x/../c%.png?d e", "f%20[1] ü.png?g[]=%20"].map { start + $0 }
        let json = urls.map { String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self) }
        switch kind {
        case "urls": try write(#"{"urls": [\#(json.joined(separator: ", "))]}"#)
        case "txt":
            try job.folder.write(urls.map { " \($0)\t" }.joined(separator: "\r"), to: "a.txt")
            try write(#"{"list": "a.txt"}"#)
        case "csv":
            try job.folder.write("id;url\n" + urls.map { "1;\"\($0) \"\n" }.joined(), to: "a.csv")
            try write(#"{"list": "a.csv"}"#)
        case "jsonl":
            try job.folder.write(json.joined(separator: "\n"), to: "a.jsonl")
            try write(#"{"list": "a.jsonl"}"#)
        case "table":
            try job.folder.write(
                json.map { #"{"n": 1, "u": \#($0)}"# }.joined(separator: "\n"),
                to: "a.jsonl"
            )
            try write(#"{"list": "a.jsonl", "columns": {"url": "u"}}"#)
        case "template":
            let names = json.map { $0.replacing(#"http:\\\\127.0.0.1:\#(server.port)\\"#, with: "") }
            try write(
                """
                {"template": "http:\\\\\\\\127.0.0.1:\(server.port)\\\\{n}", "vars": {"n": [\(names.joined(separator: ", "))]}}
                """
            )
        case "sqlite":
            let database = try Connection(path: job.folder.path("a.db"))
            try database.execute("CREATE TABLE t(url)")
            for url in urls { try database.execute("INSERT INTO t VALUES ('\(url)')") }
            try write(#"{"sqlite": "a.db", "query": "SELECT url FROM t"}"#)
        default:
            let locs = urls.map { "<url><loc>p</loc><image><loc> \($0) </loc></image></url>" }.joined()
            try job.folder.write("<urlset>\(locs)</urlset>", to: "a.xml")
            try write(#"{"sitemap": "a.xml"}"#)
        }
        let run = try await job.run()
        #expect(
            paths
                == [
                    "/a%20b.png", "/c%25.png?d%20e", "/%C3%BC.png",
                    "/f%20%5B1%5D%20%C3%BC.png?g%5B%5D=%20",
                ].sorted(),
            "\(run.output)\(run.errors)"
        )
    }

    @Test("a redirect is read likewise, and leads to no file")
    func redirects() async throws {
        try write(#"{"urls": ["\#(server.address)/moved", "\#(server.address)/away"]}"#)
        try await job.run(exit: 1)
        #expect(paths == ["/away", "/folder/a%20%C3%BC.png", "/moved"])
        #expect(try await job.errors() == ["-", "scheme"])
    }

    @Test("resize takes such a URL, and one without a scheme where no file is")
    func arguments() async throws {
        let outcome = try await job.nukeBatch(
            "resize",
            "http:\\\\127.1:\(server.port)\\a b.png#c",
            "-o",
            "out",
            "--width",
            "2",
            "--allow",
            "127.0.0.1"
        )
        #expect(outcome.exit == 0 && paths == ["/a%20b.png"], "\(outcome.errors)")
        #expect(FileManager.default.fileExists(atPath: job.folder.path("out/a b.png")))
    }

    @Test("names with brackets are those of files in file: URLs, and belong to the text of data: URLs")
    func brackets() async throws {
        try job.folder.write(try TestImages.tiny(1), to: "photos/a b[1].png")
        let url = "file://\(job.folder.path("photos"))/a%20b[1].png"
        let drawing =
            "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='3'%20height='2'%3E"
            + "%3C![CDATA[%20]]%3E%3C/svg%3E"
        try job.write(
            """
            "sources": [{"urls": ["\(url)", "\(drawing)"]}], "outputs": [{"format": "original", "path": "{index}.{ext}"}],
            "network": {"fileRoots": ["photos"]}
            """
        )
        try await job.run()
        let resized = try await job.nukeBatch("resize", url, "-o", "small", "--width", "2")
        #expect(resized.exit == 0, "\(resized.errors)")
    }

    @Test("a host's settings hold for all its spellings")
    func settings() async throws {
        try job.write(
            """
            "sources": [{"urls": ["http://127.1:\(server.port)/a.png", "http://0x7f.1:\(server.port)/b.png"]}],
            "outputs": [{"format": "original", "path": "{index}.{ext}"}],
            "loading": {"hosts": {"127.0.1": {"headers": {"X-Own": "1"}}}}
            """
        )
        try await job.run()
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["x-own"] == "1" })
    }

    @Test("a sitemap's relative addresses start from it, and are warned about with their number")
    func relative() async throws {
        let maps = try LoopbackServer { request in
            request.path == "/maps/a.xml"
                ? .data(
                    Data(
                        "<urlset><url><loc>b.png</loc></url>\n<url><loc>/c.png</loc></url><url><loc>page</loc></url></urlset>"
                            .utf8
                    )
                ) : .data((try? TestImages.tiny(1)) ?? Data(), type: "image/png")
        }
        try write(#"{"sitemap": "\#(maps.address)/maps/a.xml"}"#)
        let run = try await job.run()
        #expect(Set(maps.requests.map(\.path)) == ["/maps/a.xml", "/maps/b.png", "/c.png"])
        #expect(
            (run.output + run.errors).contains(
                "3 addresses are relative, the first in \(maps.address)/maps/a.xml:1"
            ),
            "\(run.output)\(run.errors)"
        )
    }

    @Test("behind a redirect, a sitemap's relative addresses start from the URL that answered, offline too")
    func redirected() async throws {
        let maps = try LoopbackServer { request in
            switch request.path {
            case "/map.xml": .redirect(to: "/deep/index.xml?key=hush-key")
            case "/deep/index.xml":
                .data(Data("<sitemapindex><sitemap><loc>sub/a.xml</loc></sitemap></sitemapindex>".utf8))
            case "/deep/sub/a.xml": .redirect(to: "/other/a.xml", status: 301)
            case "/other/a.xml": .data(Data("<urlset><url><loc>b.png</loc></url></urlset>".utf8))
            case "/other/b.png": .data((try? TestImages.tiny(1)) ?? Data(), type: "image/png")
            default: .status(404)
            }
        }
        try write(#"{"sitemap": "\#(maps.address)/map.xml"}"#)
        try await job.run()
        #expect(maps.requests.last?.path == "/other/b.png" && job.files() == ["1.png"])
        let count = maps.requests.count
        let offline = try await job.run("--offline")
        #expect(offline.output.hasPrefix("nothing to do"), "\(offline.output)\(offline.errors)")
        #expect(maps.requests.count == count)
        for name in job.files(in: "cache") {
            #expect(try job.data("cache/\(name)").firstRange(of: Data("hush-key".utf8)) == nil, "\(name)")
        }
    }
}
