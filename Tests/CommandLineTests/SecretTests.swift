import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Values of environment variables in URLs and header fields are never stored or shown (promise P12).
@Suite(.timeLimit(.minutes(10))) struct SecretTests {
    private static let secrets = ["hush-path-4711", "hush-query-0815", "hush-token-2342"]
    private static let environment = ["PART": secrets[0], "SIGNATURE": secrets[1], "TOKEN": secrets[2]]

    /// Redirects, serves, refuses and breaks off.
    private static func server() throws -> LoopbackServer {
        let photo = try TestImages.tiny(1)
        return try LoopbackServer { request in
            let name = request.path.split(separator: "/").last.map { $0.prefix { $0 != "?" } } ?? ""
            switch name {
            case "moved.png": return .redirect(to: request.path.replacing("moved", with: "a"))
            case "missing.png":
                return .init(status: 404, headers: [("X-Echo", request.path)])
            case "cut.png": return .init(body: .truncated(photo, declaredLength: photo.count + 1))
            default: return .data(photo, type: "image/png")
            }
        }
    }

    /// The files below a folder that hold one of the secrets, as written or percent-encoded.
    private static func leaks(in job: JobFolder, _ secrets: [String]) throws -> [String] {
        let encoded = secrets.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) }
        let forms = (secrets + encoded).map { Data($0.utf8) }
        return try job.files(in: ".").filter { name in
            let data = try job.data(name)
            return forms.contains { data.firstRange(of: $0) != nil }
        }
    }

    private static func run(_ server: LoopbackServer, _ job: JobFolder, part: String) async throws
        -> String
    {
        let names = ["a", "moved", "missing", "cut"]
        let urls = names.map { "\"\(server.address)/\(part)/\($0).png?s=${SIGNATURE}\"" }
        try job.folder.write(
            """
            {"sources": [{"urls": [\(urls.joined(separator: ", "))], "headers": {"X-Key": "${TOKEN}"}}],
             "cache": {"directory": "cache"}, "retry": {"attempts": 1}, "network": {"allow": ["127.0.0.1"]},
             "loading": {"auth": {"bearer": "${TOKEN}"}}, "outputs": [{"format": "original", "path": "{id}.{ext}"}]}
            """,
            to: "job.json"
        )
        var shown = ""
        let explained = "\(server.address)/\(part)/missing.png?s=${SIGNATURE}"
        for words in [
            ["run", "job.json", "--json"], ["run", "job.json"], ["status", "job.json"],
            ["items", "job.json"],
            ["items", "job.json", "--json"], ["log", "job.json"], ["log", "job.json", "--har", "-"],
            ["explain", "job.json", explained], ["export", "job.json"],
            ["cache", "list", "job.json", "--json"],
            ["report", "job.json", "--output", "report.html"],
        ] {
            let program = try Program("nuke-batch", words, in: job.folder.path, environment: environment)
            let outcome = await program.wait()
            #expect([0, 1].contains(outcome.exit), "\(words): \(outcome.errors)")
            shown += outcome.output + outcome.errors
        }
        return shown
    }

    @Test("a sitemap's URL is kept without the values of its variables")
    func sitemap() async throws {
        let (photo, job) = (try TestImages.tiny(1), try JobFolder())
        let list = Data("<urlset><url><loc>/a.png</loc></url></urlset>".utf8)
        let server = try LoopbackServer { request in
            request.path == "/map.xml" ? .data(list) : .data(photo, type: "image/png")
        }
        try job.write(
            #"""
            "sources": [{"sitemap": "\#(server.address)/map.xml?s=${SIGNATURE}"}],
            "outputs": [{"format": "original", "path": "{stem}.{ext}"}]
            """#
        )
        try await job.run(environment: Self.environment)
        #expect(server.requests.first?.query == "s=hush-query-0815")
        #expect(try Self.leaks(in: job, Self.secrets) == [])
        try await job.run("--offline", "--fresh", environment: Self.environment)
        #expect(server.requests.count == 2)
    }

    @Test func nothingIsStoredOrShown() async throws {
        let (server, job) = (try Self.server(), try JobFolder())
        let shown = try await Self.run(server, job, part: "${PART}")
        #expect(
            server.requests.contains { $0.path == "/hush-path-4711/a.png" && $0.query == "s=hush-query-0815" }
        )
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer hush-token-2342" })
        for secret in Self.secrets { #expect(!shown.contains(secret), "\(secret): \(shown)") }
        #expect(shown.contains("${PART}"))
        #expect(try Self.leaks(in: job, Self.secrets).isEmpty)
    }

    @Test("a control: what the manifest says itself is found where it is stored")
    func control() async throws {
        let (server, job) = (try Self.server(), try JobFolder())
        let shown = try await Self.run(server, job, part: "hush-path-4711")
        #expect(shown.contains("hush-path-4711"))
        let leaks = try Self.leaks(in: job, [Self.secrets[0]])
        #expect(
            leaks.contains { $0.hasSuffix("index.sqlite") || $0.hasSuffix("index.sqlite-wal") },
            "\(leaks)"
        )
        #expect(leaks.contains { $0.contains(".nuke-batch/job.sqlite") }, "\(leaks)")
    }

    /// Runs every command that shows something of the job, and returns what they show.
    private static func shown(by job: JobFolder, explaining url: String) async throws -> String {
        var shown = ""
        for words in [
            ["run", "job.json", "--json"], ["status", "job.json"], ["items", "job.json"],
            ["items", "job.json", "--csv"], ["items", "job.json", "--json"], ["log", "job.json", "--json"],
            ["log", "job.json", "--har", "-"], ["explain", "job.json", url], ["export", "job.json"],
            ["explain", "job.json", url, "--json"], ["export", "job.json", "--json"],
            ["cache", "list", "job.json"], ["cache", "list", "job.json", "--json"], ["report", "job.json"],
            ["plan", "job.json", "--items"], ["verify", "job.json"], ["prune", "job.json", "--json"],
        ] {
            let program = try Program("nuke-batch", words, in: job.folder.path, environment: environment)
            let outcome = await program.wait()
            #expect([0, 1].contains(outcome.exit), "\(words): \(outcome.errors)")
            shown += outcome.output + outcome.errors
        }
        return shown
    }

    @Test("credentials that a server repeats in its answers are neither stored nor shown")
    func echoes() async throws {
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { request in
            let (token, key) = (request.headers["authorization"] ?? "", request.headers["x-key"] ?? "")
            switch request.path.split(separator: "/").first {
            case "moved.png": return .redirect(to: "/a/\(key)/b.png?k=\(key)")
            case "gone.png": return .redirect(to: "/missing/\(key)")
            case "missing": return .status(404)
            default:
                var response = LoopbackServer.Response.data(photo, type: "image/png")
                response.headers += [
                    ("X-Token", token), ("X-Part", String(token.dropFirst(6))), ("X-Own", key),
                ]
                return response
            }
        }
        let job = try JobFolder()
        let urls = ["a", "moved", "gone"].map { "\"\(server.address)/\($0).png\"" }.joined(separator: ", ")
        // A key of the environment, and credentials of the manifest itself.
        try job.write(
            """
            "sources": [{"urls": [\(urls)], "headers": {"X-Key": "${TOKEN}"}}],
            "loading": {"auth": {"basic": {"user": "ann", "password": "hush-password"}}},
            "outputs": [{"format": "original"}]
            """
        )
        let shown = try await Self.shown(by: job, explaining: "\(server.address)/a.png")
        let basic = Data("ann:hush-password".utf8).base64EncodedString()
        #expect(server.requests.contains { $0.headers["authorization"] == "Basic \(basic)" })
        #expect(server.requests.contains { $0.path == "/missing/hush-token-2342" })
        for secret in ["hush-token-2342", basic] {
            #expect(!shown.contains(secret), "\(secret): \(shown)")
            #expect(try Self.leaks(in: job, [secret]).isEmpty, "\(secret)")
        }
        #expect(try Self.leaks(in: job, ["hush-password"]) == ["job.json"])
        #expect(shown.contains("X-Token") && shown.contains("nuke-batch/"))
    }

    @Test("a password in a URL is not shown")
    func passwords() async throws {
        let (server, job) = (try Self.server(), try JobFolder())
        let host = "ann:hush-password@127.0.0.1:\(server.port)"
        let urls = ["a", "missing", "moved"].map { "\"http://\(host)/\($0).png\"" }.joined(separator: ", ")
        try job.write(
            #""sources": [{"urls": [\#(urls)]}], "outputs": [{"format": "original", "path": "{stem}.{ext}"}]"#
        )
        let shown = try await Self.shown(by: job, explaining: "missing.png")
        #expect(server.requests.contains { $0.headers["authorization"]?.hasPrefix("Basic ") == true })
        #expect(!shown.contains("hush-password"), "\(shown)")
        #expect(shown.contains("http://redacted@127.0.0.1"))
        // The advice of `explain` selects the item all the same.
        let advice = "http://*@127.0.0.1:\(server.port)/missing.png"
        #expect(shown.contains("--url '\(advice)'"), "\(shown)")
        #expect(try await job.nukeBatch("items", "job.json", "--url", advice).lines.count == 1)
        let got = try await job.nukeBatch("cache", "remove", "job.json", "--url", "a.png")
        #expect(got.output == "1 removed\n")
    }
}
