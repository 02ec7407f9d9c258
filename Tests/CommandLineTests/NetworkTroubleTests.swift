import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A proxy that cannot be used: the run ends with 4, and no item is to blame.
@Suite(.timeLimit(.minutes(10))) struct NetworkTroubleTests {
    /// A job of three images, whose settings and environment change from run to run.
    private struct Job {
        let folder: TemporaryFolder

        init(_ url: String, proxy: String? = nil) throws {
            folder = try TemporaryFolder()
            try write(url, proxy: proxy)
        }

        func write(_ url: String, proxy: String?, allow: String = "127.0.0.1") throws {
            let urls = (0..<3).map { "\"\(url)/\($0).png\"" }.joined(separator: ", ")
            let proxy = proxy.map { ", \"proxy\": \"\($0)\"" } ?? ""
            try folder.write(
                """
                {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"}, "retry": {"attempts": 1},
                 "network": {"allow": ["\(allow)"]\(proxy)}}
                """,
                to: "job.json"
            )
        }

        func run(
            _ command: String,
            _ environment: [String: String] = [:],
            _ options: [String] = []
        ) async throws -> Program.Outcome {
            let words = [command, "job.json"] + options
            return try await Program("nuke-batch", words, in: folder.path, environment: environment).wait()
        }

        /// The state, the attempts and the error of each item.
        func items() async throws -> [String] {
            let listed = try await run("items", [:], ["--json"])
            return try listed.lines.map { line in
                let item = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return "\(item?["state"] ?? "") \(item?["attempts"] ?? "") \(item?["error"] ?? "")"
            }
        }
    }

    private static let untouched = [String](repeating: "pending 0 <null>", count: 3)

    /// A proxy that wants user and password, and then has an image for every URL.
    private static func proxy() throws -> LoopbackServer {
        let photo = try TestImages.tiny(1)
        return try LoopbackServer { request in
            let login = "Basic " + Data("user:right".utf8).base64EncodedString()
            guard request.headers["proxy-authorization"] == login else {
                return .status(407, headers: [("Proxy-Authenticate", "Basic realm=\"p\"")])
            }
            return .data(photo, type: "image/png")
        }
    }

    @Test(
        "a proxy that refuses the login ends the run with 4, and the corrected password is tried",
        arguments: [true, false]
    )
    func login(isOfEnvironment: Bool) async throws {
        let proxy = try Self.proxy()
        func url(_ password: String) -> String { "http://user:\(password)@127.0.0.1:\(proxy.port)" }
        let job = try Job("http://host.invalid", proxy: isOfEnvironment ? "environment" : url("wrong"))
        let wrong = isOfEnvironment ? ["http_proxy": url("wrong")] : [:]
        let first = try await job.run("warm", wrong)
        #expect(
            first.exit == 4 && (first.output + first.errors).contains("407"),
            "\(first.output)\(first.errors)"
        )
        #expect(!first.errors.contains("wrong"))
        #expect(try await job.items() == Self.untouched)
        if !isOfEnvironment { try job.write("http://host.invalid", proxy: url("right")) }
        let right = isOfEnvironment ? ["http_proxy": url("right")] : [:]
        let second = try await job.run("warm", right)
        #expect(second.exit == 0, "\(second.output)\(second.errors)")
    }

    @Test(
        "a proxy that cannot be reached ends the run with 4",
        arguments: ["http", "https", "socks5h", "socks4"]
    )
    func missing(scheme: String) async throws {
        let closed = ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let job = try Job("http://127.0.0.1:1", proxy: "\(scheme)://127.0.0.1:\(closed.number)")
        let run = try await job.run("warm")
        #expect(run.exit == 4 && (run.output + run.errors).contains("proxy"), "\(run.output)\(run.errors)")
        #expect(try await job.items() == Self.untouched)
    }

    @Test(
        "a host that the environment's proxy is not for is asked directly: it may be allowed by its name, and is to blame",
        arguments: [(["http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.0/8,localhost"]), [:]]
    )
    func excepted(environment: [String: String]) async throws {
        let closed = ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let photo = try TestImages.tiny(1)
        let server = try LoopbackServer { _ in .data(photo, type: "image/png") }
        let job = try Job("http://127.0.0.1:\(closed.number)", proxy: "environment")
        #expect(try await job.run("warm", environment).exit == 1)
        #expect(try await job.items() == [String](repeating: "failed 1 refused", count: 3))
        try job.write("http://localhost:\(server.port)", proxy: "environment", allow: "localhost")
        let named = try await job.run("warm", environment)
        #expect(named.exit == 0, "\(named.output)\(named.errors)")
    }
}
