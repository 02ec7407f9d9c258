import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `network`: what may be reached, and which key opens what is refused.
@Suite(.timeLimit(.minutes(10))) struct NetworkRuleTests {
    @Test(
        "an address that is not public is refused, with the key to add, unless it is allowed",
        arguments: [
            (#"[]"#, "127.0.0.1", false), (#"["127.0.0.1"]"#, "127.0.0.1", true),
            (#"["127.0.0.0/8"]"#, "127.0.0.1", true),
            (#"["localhost"]"#, "localhost", true), (#"["localhost"]"#, "127.0.0.1", false),
            (#"["10.0.0.0/8", "::1"]"#, "127.0.0.1", false), (#"[]"#, "2130706433", false),
            (#"[]"#, "0x7f.1", false),
            (#"[]"#, "localhost", false), (#"[]"#, "[::ffff:127.0.0.1]", false),
        ]
    )
    func allow(allow: String, host: String, isReached: Bool) async throws {
        let server = try LoopbackServer.tinyPictures()
        let job = try JobFolder()
        try job.write(
            #""sources": [{"urls": ["http://\#(host):\#(server.port)/1.png"]}], "network": {"allow": \#(allow)}"#
        )
        try await job.run(exit: isReached ? 0 : 1)
        #expect(server.requests.count == (isReached ? 1 : 0))
        let item = try #require(try await job.items().first)
        #expect(item["error"] as? String == (isReached ? nil : "address"), "\(item)")
        #expect(isReached || (item["message"] as? String)?.contains("network.allow") == true, "\(item)")
    }

    @Test("an address in a URL is refused without waiting for the host's rate")
    func literals() async throws {
        let job = try JobFolder()
        let urls = (1...40).map { "\"http://10.0.0.1/\($0).png\", \"http://[fd00::1]/\($0).png\"" }
        try job.write(
            #""sources": [{"urls": [\#(urls.joined(separator: ", "))]}], "loading": {"rate": "1/m", "burst": 1}, "network": {}"#
        )
        let run = try await job.run("--json", exit: 1)
        #expect(!run.output.contains("host_waiting"))
        #expect(Set(try await job.errors()) == ["address"])
    }

    @Test("a redirect is checked as well", arguments: [false, true])
    func redirect(isAllowed: Bool) async throws {
        let server = try LoopbackServer { request in
            .redirect(
                to:
                    "http://localhost:\(request.headers["host"]?.split(separator: ":").last ?? "")/\(request.path.count)"
            )
        }
        let job = try JobFolder()
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/a"]}], "loading": {"maxRedirects": 2},
            "network": {"allow": ["127.0.0.1/32"\(isAllowed ? ", \"localhost\"" : "")]}
            """
        )
        try await job.run(exit: 1)
        // Both names have one address, which is what counts.
        #expect(try await job.errors() == ["redirects"])
        try job.write(
            #""sources": [{"urls": ["\#(server.address)/a"]}], "network": {"allow": ["localhost"]}"#
        )
        try await job.run("--fresh", exit: 1)
        #expect(try await job.errors() == ["address"])
    }

    @Test("files are read below the manifest's folder, or where fileRoots says")
    func fileRoots() async throws {
        let (job, elsewhere) = (try JobFolder(), try TemporaryFolder())
        try elsewhere.write(try TestImages.tiny(1), to: "a.png")
        try job.folder.write(try TestImages.tiny(1), to: "b.png")
        try FileManager.default.createSymbolicLink(
            atPath: job.folder.path("link.png"),
            withDestinationPath: elsewhere.path("a.png")
        )
        let sources = #""sources": [{"urls": ["\#(elsewhere.path)/a.png", "b.png", "link.png"]}]"#
        try job.write(sources)
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["address", "-", "address"])
        #expect((try await job.items().first?["message"] as? String)?.contains("network.fileRoots") == true)
        try job.write(sources + #", "network": {"fileRoots": ["\#(elsewhere.path)"]}"#)
        try await job.run("--fresh", exit: 1)
        #expect(try await job.errors() == ["-", "address", "address"])
    }
}
