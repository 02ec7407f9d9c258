import Files
import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The classes of errors that no other test brings about, each with a sentence for people.
@Suite(.timeLimit(.minutes(10))) struct ErrorClassTests {
    struct Fault: Sendable {
        let error: String
        let attempts: Int
        let response: LoopbackServer.Response

        init(_ error: String, attempts: Int, _ response: LoopbackServer.Response) {
            self.error = error
            self.attempts = attempts
            self.response = response
        }
    }

    private static func digest(_ text: String) -> String {
        Data(Digest.sha256.bytes(of: Data(text.utf8))).base64EncodedString()
    }

    /// Errors that are not permanent are tried `retry.attempts` times.
    static let faults = [
        Fault("reset", attempts: 3, .init(body: .reset)), Fault("reset", attempts: 3, .init(body: .nothing)),
        Fault("reset", attempts: 3, .init(body: .resetAfter(Data("abc".utf8), declaredLength: 90))),
        Fault("truncated", attempts: 3, .init(body: .truncated(Data("abc".utf8), declaredLength: 90))),
        Fault("truncated", attempts: 3, .init(body: .truncatedChunks([Data("abc".utf8)]))),
        // The digest of another text, and one that fits.
        Fault(
            "integrity",
            attempts: 2,
            .init(headers: [("Repr-Digest", "sha-256=:\(digest("other")):")], body: .data(Data("some".utf8)))
        ),
        Fault(
            "integrity",
            attempts: 2,
            .init(headers: [("Digest", "MD5=x, SHA-256=\(digest("other"))")], body: .data(Data("some".utf8)))
        ),
        Fault(
            "integrity",
            attempts: 2,
            .init(
                body: .raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nsome".utf8))
            )
        ),
        Fault(
            "wrong_type",
            attempts: 1,
            .init(
                headers: [("Content-Digest", "sha-256=:\(digest("some")):")],
                body: .data(Data("some".utf8))
            )
        ),
        Fault("empty", attempts: 1, .init(body: .data(Data()))),
        Fault("empty", attempts: 1, .init(status: 204)),
        Fault("http_401", attempts: 1, .status(401)), Fault("http_451", attempts: 1, .status(451)),
        Fault("http_500", attempts: 3, .status(500)),
        Fault("redirects", attempts: 1, .redirect(to: "/")),
        Fault("scheme", attempts: 1, .redirect(to: "gopher://example.com/a")),
        Fault("scheme", attempts: 1, .redirect(to: "file:///etc/passwd")),
        Fault("address", attempts: 1, .redirect(to: "http://169.254.169.254/latest")),
        Fault("wrong_type", attempts: 1, .data(Data("<svg/>".utf8))),
    ]

    @Test("what servers do", arguments: faults)
    func servers(fault: Fault) async throws {
        let server = try LoopbackServer { _ in fault.response }
        let job = try JobFolder()
        try job.write(
            """
            "sources": [{"urls": ["\(server.address)/"]}], "outputs": [{"format": "jpeg"}],
            "retry": {"attempts": 3, "backoff": "1ms..2ms"}, "loading": {"maxRedirects": 3}
            """
        )
        let run = try await job.run(exit: 1)
        let item = try #require(try await job.items().first)
        #expect(item["error"] as? String == fault.error, "\(item)")
        #expect((item["message"] as? String)?.isEmpty == false)
        #expect(item["attempts"] as? Int == fault.attempts, "\(item)")
        #expect(run.output.contains("failed in this run: \(fault.error) 1"), "\(run.output)")
    }

    @Test("what stands between here and a server, and what an image does not bear")
    func others() async throws {
        let server = try LoopbackServer.tinyPictures()
        let job = try JobFolder()
        try job.folder.write(try Repository.photo("rocket.jpg").prefix(50_000), to: "cut.jpg")
        try job.write(
            """
            "sources": [{"urls": ["https://127.0.0.1:\(server.port)/1.png", "http://no-such-host.invalid/a.png",
              "cut.jpg", "none.jpg", "data:text/plain,hello", "\(server.address)/1.png"]}],
            "outputs": [{"format": "jpeg", "path": "{index}.{ext}", "processors": [{"crop": {"rect": [100, 100, 5, 5]}}]}],
            "retry": {"attempts": 1}
            """
        )
        try await job.run(exit: 1)
        #expect(try await job.errors() == ["tls", "dns", "corrupt", "not_found", "wrong_type", "processing"])
        for item in try await job.items() {
            #expect(item["state"] as? String == "failed" && (item["message"] as? String)?.isEmpty == false)
        }
    }
}
