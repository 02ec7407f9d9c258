import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Warming an edge: what its caches say of each answer is counted; with `HEAD` nothing comes here.
@Suite(.timeLimit(.minutes(10))) struct EdgeTests {
    private static func answer(_ path: String) -> [(name: String, value: String)] {
        switch path {
        case "/0.png": [("CF-Cache-Status", "HIT")]
        case "/1.png": [("CF-Cache-Status", "MISS"), ("Age", "5")]
        case "/2.png": [("X-Cache", "MISS, HIT")]
        case "/3.png": [("X-Cache", "Hit from cloudfront")]
        case "/4.png": [("X-Cache", "HIT, MISS")]
        case "/5.png": [("Age", "17")]
        case "/6.png": [("Age", "0")]
        default: []
        }
    }

    @Test("the edge's hits are counted", arguments: ["HEAD", "GET"])
    func hitRatio(method: String) async throws {
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            if request.path == "/8.png" { return .status(404) }
            return LoopbackServer.Response(headers: Self.answer(request.path), body: .data(photo))
        }
        let folder = try TemporaryFolder()
        let urls = (0..<9).map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"},
             "loading": {"method": "\(method)"}, "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        let run = try await Program.run("nuke-batch", ["warm", "job.json", "--json"], in: folder.path)
        #expect(run.exit == 1, "\(run.output)\(run.errors)")
        let last = try #require(run.lines.last)
        let end = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(end["edgeHits"] as? Int == 4 && end["edgeMisses"] as? Int == 3, "\(last)")
        #expect(end["networkBytes"] as? Int == (method == "HEAD" ? 0 : 8 * photo.count))
        #expect(server.requests.count == 9 && server.requests.allSatisfy { $0.method == method })
        let entries = try FileManager.default.subpathsOfDirectory(atPath: folder.path("cache"))
        let originals = entries.filter {
            $0.contains("/") && !$0.hasPrefix("partial") && !$0.hasPrefix("index")
        }
        #expect(originals.count == (method == "HEAD" ? 0 : 8), "\(entries)")
        let again = try await Program.run("nuke-batch", ["warm", "job.json", "--fresh"], in: folder.path)
        if method == "HEAD" {
            #expect(again.output.contains("edge cache hits: 4 of 7 (57 %)"), "\(again.output)")
        }
        let before = server.requests.count
        #expect(before == (method == "HEAD" ? 18 : 10))
        try await look(folder, method: method)
        // The next night: what is done is asked for again.
        let next = try await Program.run("nuke-batch", ["warm", "job.json", "--revalidate"], in: folder.path)
        #expect(next.exit == 1 && server.requests.count == before + 8, "\(next.output)\(next.errors)")
    }

    /// Looks at the job after the fresh run, in which the edge answered as before.
    private func look(_ folder: TemporaryFolder, method: String) async throws {
        let nukeBatch = { (words: [String]) in try await Program.run("nuke-batch", words, in: folder.path) }
        let report = try await nukeBatch(["report", "job.json", "--output", "report.html"])
        #expect(report.exit == 0, "\(report.errors)")
        let page = try String(contentsOfFile: folder.path("report.html"), encoding: .utf8)
        let hit = try await nukeBatch(["explain", "job.json", "/3.png"])
        let silent = try await nukeBatch(["explain", "job.json", "/7.png"])
        guard method == "HEAD" else {
            #expect(hit.output.contains("\ncache\n") && !hit.output.contains("\nedge\n"), "\(hit.output)")
            return #expect(page.contains("<h2>Before and after</h2>"))
        }
        let status = try await nukeBatch(["status", "job.json"])
        #expect(status.output.contains("  edge hits 57 % of 7"), "\(status.output)")
        #expect(page.contains("<dt>edge hit ratio</dt><dd>57.1 %</dd>"))
        #expect(!page.contains("Before and after") && !page.contains("<div>missing</div>"))
        #expect(hit.output.contains("done since") && hit.output.contains("the edge has answered for it"))
        #expect(hit.output.contains("\nedge\n") && hit.output.contains("the edge had it in its cache"))
        #expect(silent.output.contains("does not say whether the edge had it"), "\(silent.output)")
        let miss = try await nukeBatch(["explain", "job.json", "/4.png", "--json"])
        let original = try #require(try ToldJob.objects(miss).first?["original"] as? [String: Any])
        #expect(original["edge"] as? String == "miss" && original["source"] as? String == "edge")
    }

    @Test("HEAD and outputs do not go together")
    func outputs() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"{"sources": [{"urls": ["https://a.example/b.jpg"]}], "loading": {"method": "HEAD"}, "outputs": [{}]}"#,
            to: "job.json"
        )
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 2 && run.errors.contains("HEAD"), "\(run.errors)")
    }
}
