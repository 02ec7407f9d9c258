import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A night in which a sitemap cannot be had: the run works on the last plan, and says so.
@Suite struct LostSourceTests {
    /// What becomes of the sitemap.
    enum Trouble: String, CaseIterable {
        case unavailable, missing, forbidden, page, cut, empty, refusesChild

        /// The exit code without a last plan: 4 where another try may help.
        var exitOfFirstRun: Int32 { [.unavailable, .refusesChild].contains(self) ? 4 : 2 }
    }

    private let job: JobFolder
    private let server: LoopbackServer
    private let trouble = Shared<Trouble?>(nil)
    private let picture = Shared(1)

    init() throws {
        job = try JobFolder()
        server = try LoopbackServer { [trouble, picture] request in
            let address = "http://\(request.headers["host"] ?? "")"
            let urls = "<url><loc>\(address)/1.png</loc></url>"
            let whole = Data(
                #"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\#(urls)</urlset>"#.utf8
            )
            switch (request.path, trouble.value) {
            case ("/index.xml", nil), ("/index.xml", .refusesChild):
                let child = "<sitemap><loc>\(address)/child.xml</loc></sitemap>"
                return .data(Data("<sitemapindex>\(child)</sitemapindex>".utf8), type: "text/xml")
            case ("/child.xml", nil): return .data(whole, type: "text/xml")
            case ("/index.xml", .unavailable), ("/child.xml", _): return .status(503)
            case ("/index.xml", .missing): return .status(404)
            case ("/index.xml", .forbidden): return .status(403)
            case ("/index.xml", .page):
                return .data(Data("<html><body>Back soon</html>".utf8), type: "text/html")
            case ("/index.xml", .cut): return .data(whole.prefix(90), type: "text/xml")
            case ("/index.xml", .empty): return .data(Data())
            default:
                return .resource(
                    (try? TestImages.tiny(picture.value)) ?? Data(),
                    etag: "\"\(picture.value)\"",
                    for: request
                )
            }
        }
        try job.write(
            """
            "sources": [{"sitemap": "\(server.address)/index.xml"}],
            "outputs": [{"format": "original", "path": "{stem}.{ext}"}],
            "cache": {"directory": "cache", "revalidate": "always"},
            "loading": {"rate": "5000/s", "burst": 1000}, "retry": {"attempts": 1, "backoff": "1ms..2ms"}
            """
        )
    }

    @Test("the run works on the last plan, and exits 1", arguments: Trouble.allCases)
    func lastPlan(_ trouble: Trouble) async throws {
        try await job.run()
        picture.value = 2
        self.trouble.value = trouble
        let night = try await job.run("--json", exit: 1)
        #expect(try job.data("out/1.png") == TestImages.tiny(2), "the item was revalidated")
        let end = try job.end(night)
        #expect(end["exit"] as? Int == 1)
        let warnings = try #require(end["warnings"] as? [String])
        #expect(
            warnings.contains { $0.contains(server.address) && $0.contains("the last plan") },
            "\(warnings)"
        )
        for (policy, exit) in [("new", 1), ("any", 1), ("never", 0), ("new", 1)] as [(String, Int32)] {
            let next = try await job.run("--fail-on", policy, exit: exit)
            // Also where it is no news any more: it is why the run fails.
            #expect(
                next.lines.contains { $0.hasPrefix("warning: ") && $0.contains("the last plan") },
                "\(next.output)"
            )
        }
        let plan = try await job.nukeBatch("plan", "job.json")
        #expect(plan.exit == 0 && plan.output.contains("1 item\n"), "\(plan.output)")
        #expect(plan.errors.contains("the last plan"), "\(plan.errors)")
        self.trouble.value = nil
        try await job.run()
    }

    @Test(
        "without a last plan nothing is done, and the run is in status all the same",
        arguments: Trouble.allCases
    )
    func firstRun(_ trouble: Trouble) async throws {
        self.trouble.value = trouble
        let run = try await job.run("--json", exit: trouble.exitOfFirstRun)
        let end = try job.end(run)
        #expect(end["event"] as? String == "run_finished")
        #expect(end["exit"] as? Int32 == trouble.exitOfFirstRun)
        #expect(try await job.nukeBatch("plan", "job.json").exit == trouble.exitOfFirstRun)
        let status = try await job.nukeBatch("status", "job.json")
        #expect(!status.output.contains("never run"), "\(status.output)")
    }

    @Test("a changed manifest has no last plan") func changed() async throws {
        try await job.run()
        trouble.value = .unavailable
        try job.write(
            """
            "sources": [{"sitemap": "\(server.address)/index.xml"}],
            "outputs": [{"format": "png", "path": "{stem}.{ext}"}],
            "loading": {"rate": "5000/s", "burst": 1000}, "retry": {"attempts": 1, "backoff": "1ms..2ms"}
            """
        )
        try await job.run(exit: 4)
    }

    @Test("a missing local list is a mistake of the manifest's author: there is no last plan for it")
    func local() async throws {
        try job.folder.write("\(server.address)/1.png\n", to: "urls.txt")
        try job.write(#""sources": [{"list": "urls.txt"}], "outputs": [{"format": "original"}]"#)
        try await job.run()
        try FileManager.default.removeItem(atPath: job.folder.path("urls.txt"))
        try await job.run(exit: 2)
    }
}
