import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Bad input becomes a failed item with its class, and everything else is done.
@Suite(.timeLimit(.minutes(10))) struct BadInputTests {
    @Test("every kind of bad URL has its class, the good ones are done, exit 1")
    func classes() async throws {
        let photo = try Repository.photo("rocket.jpg")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/good.jpg": LoopbackServer.Response(body: .data(photo))
            case "/page.html": .data(Data("<html>hello</html>".utf8), type: "text/html")
            case "/empty.jpg": LoopbackServer.Response(body: .data(Data()))
            case "/cut.jpg":
                LoopbackServer.Response(
                    body: .truncated(photo.prefix(photo.count / 2), declaredLength: photo.count)
                )
            case "/short.jpg": LoopbackServer.Response(body: .data(photo.prefix(photo.count / 2)))
            case "/gone.jpg": .status(410)
            case "/loop.jpg": .redirect(to: "/loop.jpg")
            case "/busy.jpg": .status(500)
            case "/private.jpg": .redirect(to: "http://10.255.255.1/secret.jpg")
            default: .status(404)
            }
        }
        let closed = ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let refused = closed.address

        let expected = [
            "\(server.address)/page.html": "wrong_type", "\(server.address)/empty.jpg": "empty",
            "\(server.address)/cut.jpg": "truncated", "\(server.address)/short.jpg": "corrupt",
            "\(server.address)/missing.jpg": "http_404", "\(server.address)/gone.jpg": "http_410",
            "\(server.address)/loop.jpg": "redirects", "\(server.address)/busy.jpg": "http_500",
            "\(server.address)/private.jpg": "address", "\(refused)/a.jpg": "refused",
            "http://192.168.0.1/a.jpg": "address", "http://[::1]:9/a.jpg": "address",
            "gopher://example.com/a.jpg": "scheme", "http://exa mple/": "bad_url", "nowhere.jpg": "not_found",
            "file:///etc/passwd": "address", "no-such-host.invalid": "not_found",
        ]
        let folder = try TemporaryFolder()
        try folder.write(
            (expected.keys.sorted() + ["\(server.address)/good.jpg"]).joined(separator: "\n"),
            to: "urls.txt"
        )
        try folder.write(
            """
            {"sources": [{"list": "urls.txt"}], "cache": {"directory": "cache"},
             "outputs": [{"processors": [{"resize": {"width": 100}}], "format": "jpeg", "path": "{index}.{ext}"}],
             "network": {"allow": ["127.0.0.1"]}, "retry": {"attempts": 2, "backoff": "1ms..5ms"}}
            """,
            to: "job.json"
        )
        let run = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(run.exit == 1, "\(run.output)\(run.errors)")
        #expect(run.output.contains("17 failed"))

        let listing = try await Program.run("nuke-batch", ["items", "job.json", "--json"], in: folder.path)
        #expect(listing.lines.count == expected.count + 1)
        for line in listing.lines {
            let item = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let url = try #require(item["url"] as? String)
            let written = expected.first {
                url == $0.key || url.hasSuffix("/" + $0.key) || url == $0.key.replacing(" ", with: "%20")
            }
            if let written {
                #expect(item["error"] as? String == written.value, "\(url): \(item["message"] ?? "")")
                #expect(item["state"] as? String == "failed")
                #expect((item["message"] as? String)?.isEmpty == false)
            } else {
                #expect(item["state"] as? String == "done", "\(url)")
            }
        }
        #expect(FileManager.default.fileExists(atPath: folder.path("out/\(expected.count + 1).jpg")))

        // Failures that may pass are tried again by the next run, permanent ones are not asked for.
        let before = server.requests.count { $0.path == "/missing.jpg" }
        let again = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(again.exit == 1)
        #expect(server.requests.count { $0.path == "/missing.jpg" } == before)
        let retry = try await Program.run(
            "nuke-batch",
            ["retry", "job.json", "--error", "http_404"],
            in: folder.path
        )
        #expect(retry.exit == 1)
        #expect(server.requests.count { $0.path == "/missing.jpg" } == before + 1)
    }

    @Test(
        "a wrong manifest is exit 2, names every error with its place, and does nothing",
        arguments: ["run", "plan", "validate"]
    )
    func wrongManifest(command: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"sources": [{"list": "none.txt"}],
             "outputs": [{"format": "jpg", "path": "../x"}, {"processors": [{"resise": {"width": 0}}]}],
             "limits": {"memory": "lots"}}
            """,
            to: "job.json"
        )
        let result = try await Program.run("nuke-batch", [command, "job.json"], in: folder.path)
        #expect(result.exit == 2)
        let text = result.output + result.errors
        for expected in [
            "job.json:1:", "none.txt", "job.json:2:", "outputs[0].format", "outputs[0].path",
            "did you mean \"resize\"", "limits.memory",
        ] {
            #expect(text.contains(expected), "\(expected) is not in:\n\(text)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["job.json"])
    }

    @Test(
        "what is not supported is refused at its place, never ignored",
        arguments: [
            #"{"sources": [{"urls": ["https://example.com/a.jpg"]}], "limits": {"maxFrames": 2}}"#
        ]
    )
    func notSupported(manifest: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(manifest, to: "job.json")
        let result = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(result.exit == 2)
        let reason = "limits.maxFrames: only the first frame of an animation is read, not 2: remove it"
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    @Test(
        "a wrong command line is exit 2 with what to type instead",
        arguments: [
            (["rum", "job.json"], "did you mean run?"), (["run"], "needs MANIFEST"),
            (["run", "--jsn", "job.json"], "did you mean --json?"),
            (["run", "--rate", "fast", "job.json"], "--rate takes"),
            (["verfy", "job.json"], "did you mean verify?"), (["help", "verfy"], "did you mean verify?"),
            (["verify", "--dry-run", "job.json"], "without --repair"),
            (["prune", "--dry-run", "job.json"], "without --delete"),
            (["run", "--resume", "job.json"], "continues where the last run ended"),
            (["run", "--jobs", "4", "job.json"], "did you mean --concurrency?"),
            (
                ["run", "--fail-on", "2", "job.json"],
                "--fail-on takes any, new, a percentage such as 2%, or never"
            ),
            (
                ["run", "--webhook", "ftp://example.com/x", "job.json"],
                "--webhook takes an http or https URL"
            ),
            (["run", "--force", "job.json"], "did you mean --fresh?"),
            (["ls", "job.json"], "did you mean items?"), (["-v"], "did you mean --version?"),
            (["run", "nosuch.json"], "nosuch.json: there is no such manifest; relative paths start at"),
            (["run", "job"], "did you mean job.json?"), (["run", ""], "the path of the manifest is empty"),
            (["items", "job.json", "--error", "http404"], "--error takes one or more of http_401"),
            (["run", "--concurrency"], "needs a value"),
            (["cache", "show"], "cache takes one of stat, list"),
        ]
    )
    func commandLine(words: [String], expected: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"sources": [{"urls": ["a.jpg"]}]}"#, to: "job.json")
        let result = try await Program.run("nuke-batch", words, in: folder.path)
        #expect(result.exit == 2)
        #expect(result.errors.contains(expected), "\(result.errors)")
    }

    @Test("a second run while one is going on is exit 3 and names its process")
    func held() async throws {
        let folder = try TemporaryFolder()
        let asked = Asked()
        let server = try LoopbackServer { _ in
            asked.waitForEnd()
            return .status(404)
        }
        try folder.write(
            #"{"sources": [{"urls": ["\#(server.address)/a.jpg"]}], "cache": {"directory": "c"}, "network": {"allow": ["127.0.0.1"]}}"#,
            to: "job.json"
        )
        let first = try Program("nuke-batch", ["run", "job.json"], in: folder.path)
        _ = await server.requests(atLeast: 1)
        let second = try await Program.run("nuke-batch", ["run", "job.json"], in: folder.path)
        #expect(second.exit == 3)
        #expect(second.errors.contains("process"), "\(second.errors)")
        asked.end()
        #expect(await first.wait().exit == 1)
    }
}

/// Holds the server's answer back until the test has seen enough.
final class Asked: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    func end() {
        ended.signal()
    }

    func waitForEnd() {
        ended.wait()
        ended.signal()
    }
}
