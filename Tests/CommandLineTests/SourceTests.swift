import Foundation
import LoopbackServer
import SQLite
import Synchronization
import TestSupport
import Testing

/// Sitemaps, databases, templates and inclusions through the real program.
@Suite(.timeLimit(.minutes(10))) struct SourceTests {
    /// A site with an index of two sitemaps, whose second can be changed.
    private final class Site: Sendable {
        let server: LoopbackServer
        private let second: Listed

        init() throws {
            let photo = try Repository.photo("rocket.jpg")
            let second = Listed(["/b.jpg"])
            let busy = Listed(["once"])
            server = try LoopbackServer { request in
                switch request.path {
                case "/sitemap.xml":
                    // The first answer asks for patience, as a busy host's does.
                    if busy.urls.withLock({ $0.popLast() }) != nil { return .status(503) }
                    return .data(
                        Data(
                            "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"
                                .utf8
                        )
                    )
                case "/1.xml":
                    return .data(
                        Data(
                            "<urlset><url><loc>/page</loc><image><loc>/a.jpg</loc></image></url></urlset>"
                                .utf8
                        )
                    )
                case "/2.xml":
                    let urls = second.urls.withLock { $0 }.map { "<url><loc>\($0)</loc></url>" }.joined()
                    return .data(Data("<urlset>\(urls)</urlset>".utf8))
                case "/bad.xml": return .data(Data("<html></html>".utf8))
                case "/local.xml":
                    return .data(
                        Data(
                            "<sitemapindex><sitemap><loc>file:///etc/passwd</loc></sitemap></sitemapindex>"
                                .utf8
                        )
                    )
                case "/page", "/gone.xml": return .status(404)
                default: return .data(photo)
                }
            }
            self.second = second
        }

        func change(_ urls: [String]) { second.urls.withLock { $0 = urls } }
    }

    /// The current entries of a sitemap.
    private final class Listed: Sendable {
        let urls: Mutex<[String]>

        init(_ urls: [String]) { self.urls = Mutex(urls) }
    }

    private func write(_ sources: String, to folder: TemporaryFolder, _ name: String = "job.json") throws {
        try folder.write(
            """
            {"sources": [\(sources)], "cache": {"directory": "cache"}, "network": {"allow": ["127.0.0.1"]},
             "retry": {"attempts": 2, "backoff": "1ms..2ms"},
             "outputs": [{"processors": [{"resize": {"width": 8}}], "path": "{stem}.{ext}"}]}
            """,
            to: name
        )
    }

    private func nukeBatch(_ words: String..., in folder: TemporaryFolder) async throws -> Program.Outcome {
        try await Program.run("nuke-batch", words, in: folder.path)
    }

    @Test(
        "a sitemap is loaded anew by each run, a change of it is a change of the job, and the cache serves --offline"
    )
    func sitemap() async throws {
        let site = try Site()
        let folder = try TemporaryFolder()
        try write("{\"sitemap\": \"\(site.server.address)/sitemap.xml\"}", to: folder)
        let plan = try await nukeBatch("plan", "job.json", in: folder)
        #expect(plan.exit == 0 && plan.output.contains("2 items"), "\(plan.output)\(plan.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["job.json"])

        let first = try await nukeBatch("run", "job.json", in: folder)
        #expect(first.exit == 0 && first.output.hasPrefix("2 made"), "\(first.output)\(first.errors)")
        let log = try await nukeBatch("log", "job.json", "--json", in: folder)
        #expect(log.lines.count == 5, "\(log.output)")

        let again = try await nukeBatch("run", "job.json", in: folder)
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
        #expect(site.server.requests.count { $0.path == "/sitemap.xml" } == 4)
        #expect(site.server.requests.count { $0.path == "/a.jpg" } == 1)

        site.change(["/b.jpg", "/c.jpg"])
        let offline = try await nukeBatch("run", "job.json", "--offline", in: folder)
        #expect(offline.output.hasPrefix("nothing to do"), "\(offline.output)\(offline.errors)")
        let changed = try await nukeBatch("run", "job.json", in: folder)
        #expect(changed.exit == 0 && changed.output.hasPrefix("1 made"), "\(changed.output)")
        site.change([])
        let fewer = try await nukeBatch("run", "job.json", in: folder)
        #expect(fewer.exit == 0 && fewer.output.hasPrefix("nothing to do: 1 item"), "\(fewer.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.programsTemporary).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path(".nuke-batch/job.sitemaps")))
    }

    @Test("a sitemap that cannot be used is wrong input, and the state stays as it was")
    func badSitemaps() async throws {
        let site = try Site()
        let folder = try TemporaryFolder()
        let wrong = [
            ("/gone.xml", 2, "http_404"), ("/bad.xml", 2, "is not a sitemap"),
            ("/local.xml", 2, "only http and https"),
        ]
        for (path, exit, message) in wrong {
            try write("{\"sitemap\": \"\(site.server.address)\(path)?key=SECRET\"}", to: folder)
            let run = try await nukeBatch("run", "job.json", in: folder)
            #expect(run.exit == exit, "\(path): \(run.output)\(run.errors)")
            #expect(
                run.errors.contains(message) || message == "http_404" && run.errors.contains("404"),
                "\(path): \(run.errors)"
            )
            #expect(!run.errors.contains("SECRET"), "\(run.errors)")
        }
        try write("{\"sitemap\": \"http://192.168.0.1/sitemap.xml\"}", to: folder)
        let refused = try await nukeBatch("run", "job.json", in: folder)
        #expect(refused.exit == 2 && refused.errors.contains("network.allow"), "\(refused.errors)")
        try write("{\"sitemap\": \"\(site.server.address)/1.xml\"}", to: folder)
        let offline = try await nukeBatch("run", "job.json", "--offline", in: folder)
        #expect(offline.exit == 2 && offline.errors.contains("--offline"), "\(offline.errors)")
    }

    @Test("the rows of a query are items, and what changes in the database is planned")
    func database() async throws {
        let folder = try TemporaryFolder()
        try folder.write(try Repository.photo("rocket.jpg"), to: "rocket.jpg")
        try folder.write(try Repository.photo("coffee.png"), to: "coffee.png")
        // Open beside the run, as a shop's would be: what is new is in the write-ahead log.
        let connection = try Connection(path: folder.path("products.db"))
        try connection.execute("CREATE TABLE p(file TEXT); INSERT INTO p VALUES ('rocket.jpg')")
        try write(
            #"{"sqlite": "products.db", "query": "select file as url from p order by file"}"#,
            to: folder
        )
        let first = try await nukeBatch("run", "job.json", in: folder)
        #expect(first.exit == 0 && first.output.hasPrefix("1 made"), "\(first.output)\(first.errors)")
        let again = try await nukeBatch("run", "job.json", in: folder)
        #expect(again.output.hasPrefix("nothing to do"), "\(again.output)")
        try connection.execute("INSERT INTO p VALUES ('coffee.png')")
        let second = try await nukeBatch("run", "job.json", in: folder)
        #expect(second.exit == 0 && second.output.hasPrefix("1 made"), "\(second.output)")
        try connection.execute("DROP TABLE p")
        let gone = try await nukeBatch("run", "job.json", in: folder)
        #expect(gone.exit == 2 && gone.errors.contains("products.db: the query"), "\(gone.errors)")
    }

    @Test("a template, of an included manifest")
    func template() async throws {
        let site = try Site()
        let folder = try TemporaryFolder()
        try write(
            "{\"template\": \"\(site.server.address)/{kind}-{n}.jpg\", \"vars\": {\"kind\": [\"a\", \"b\"], \"n\": \"1..3\"}}",
            to: folder,
            "common.json"
        )
        try folder.write(#"{"include": "common.json", "destination": "made"}"#, to: "job.json")
        let run = try await nukeBatch("run", "job.json", in: folder)
        #expect(run.exit == 0 && run.output.hasPrefix("6 made"), "\(run.output)\(run.errors)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path("made")).sorted()
        #expect(made == ["a-1.jpg", "a-2.jpg", "a-3.jpg", "b-1.jpg", "b-2.jpg", "b-3.jpg"])
        try folder.write(#"{"sources": [{"lits": "x"}]}"#, to: "common.json")
        let wrong = try await nukeBatch("validate", "job.json", in: folder)
        #expect(
            wrong.exit == 2
                && wrong.output.contains(
                    "common.json:1:15: sources[0].lits: unknown key; did you mean \"list\"?"
                ),
            "\(wrong.output)"
        )
    }

    @Test("the schema of manifests is printed")
    func schema() async throws {
        let folder = try TemporaryFolder()
        let printed = try await nukeBatch("validate", "--schema", in: folder)
        let file = try String(
            contentsOf: Repository.root.appendingPathComponent("Jobs/manifest.schema.json"),
            encoding: .utf8
        )
        #expect(printed.exit == 0 && printed.output == file)
        #expect(try await nukeBatch("validate", in: folder).exit == 2)
    }
}
