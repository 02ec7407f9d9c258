import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The network log of a job: kept in its state, listed, and written as an HTTP archive.
@Suite(.timeLimit(.minutes(10))) struct NetworkLogTests {
    private func nukeBatch(_ words: [String], in folder: TemporaryFolder) async throws -> Program.Outcome {
        try await Program("nuke-batch", words, in: folder.path, environment: ["KEY": "SECRET"]).wait()
    }

    /// Runs a job of a photograph behind a redirect, one that is missing, and one at a signed URL, with a secret field.
    private func run() async throws -> (folder: TemporaryFolder, server: LoopbackServer) {
        let rocket = try Repository.photo("rocket.jpg")
        let server = try LoopbackServer { request in
            switch request.path {
            case "/moved.jpg": .init(status: 302, headers: [("Location", "/rocket.jpg?token=SECRET")])
            case "/rocket.jpg": .data(rocket)
            default: .status(404)
            }
        }
        let folder = try TemporaryFolder()
        let urls = ["moved.jpg", "missing.jpg", "rocket.jpg?signature=SECRET"]
            .map { "\"\(server.address)/\($0)\"" }.joined(separator: ", ")
        try folder.write(
            """
            {"sources": [{"urls": [\(urls)]}], "cache": {"directory": "cache"},
             "loading": {"headers": {"X-Key": "${KEY}"}, "auth": {"bearer": "SECRET"}},
             "network": {"allow": ["127.0.0.1"]}}
            """,
            to: "job.json"
        )
        let run = try await nukeBatch(["run", "job.json"], in: folder)
        #expect(run.exit == 1, "\(run.output)\(run.errors)")
        return (folder, server)
    }

    @Test func listsEveryRequestWithoutSecrets() async throws {
        let (folder, server) = try await run()
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.headers["x-key"] == "SECRET" })
        let log = try await nukeBatch(["log", "job.json", "--json"], in: folder)
        #expect(log.exit == 0)
        let requests = try log.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(requests.count == 4)
        #expect(requests.compactMap { $0["status"] as? Int }.sorted() == [200, 200, 302, 404])
        let redirected = try #require(requests.first { $0["redirects"] as? Int == 1 })
        #expect(redirected["url"] as? String == "\(server.address)/rocket.jpg?token=redacted")
        let redirect = try #require(requests.first { $0["status"] as? Int == 302 })
        #expect(redirect["load"] as? Int == redirected["load"] as? Int)
        #expect(redirected["bytes"] as? Int == (try Repository.photo("rocket.jpg")).count)
        #expect(redirected["address"] as? String == "127.0.0.1")
        #expect(redirected.keys.contains("error") && redirected["error"] is NSNull)

        let table = try await nukeBatch(["log", "job.json"], in: folder)
        #expect(table.lines.count == 4)
        #expect(table.output.contains("  404  "))
        #expect(!(log.output + table.output).contains("SECRET"))
    }

    @Test func writesAnArchive() async throws {
        let (folder, _) = try await run()
        let log = try await nukeBatch(["log", "job.json", "--har", "job.har"], in: folder)
        #expect(log.exit == 0, "\(log.errors)")
        #expect(log.output.isEmpty)
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("job.har")))
        #expect(!String(decoding: data, as: UTF8.self).contains("SECRET"))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let archive = try #require(json["log"] as? [String: Any])
        #expect(archive["version"] as? String == "1.2")
        let entries = try #require(archive["entries"] as? [[String: Any]])
        #expect(entries.count == 4)
        for entry in entries {
            let request = try #require(entry["request"] as? [String: Any])
            let headers = try #require(request["headers"] as? [[String: String]])
            #expect(headers.contains { $0["name"] == "X-Key" && $0["value"] == "redacted" })
            #expect(try #require(entry["time"] as? Double) > 0)
        }
        let toNowhere = ["log", "job.json", "--har", "nowhere/job.har"]
        let refused = try await nukeBatch(toNowhere, in: folder)
        #expect(refused.exit == 4)
        #expect(refused.errors.contains("nowhere/job.har"))
    }

    @Test func isEmptyBeforeTheFirstRun() async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"sources": [{"urls": []}]}"#, to: "job.json")
        let log = try await nukeBatch(["log", "job.json"], in: folder)
        #expect(log.exit == 0)
        #expect(log.output.isEmpty)
    }

    @Test func keepsNoSecretInTheState() async throws {
        let (folder, server) = try await run()
        var state = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(".nuke-batch")) {
            state += try Data(contentsOf: URL(fileURLWithPath: folder.path(".nuke-batch/\(name)")))
        }
        let text = String(decoding: state, as: UTF8.self)
        // URLs of items are stored as given; what is expanded and what servers add is not.
        let given = "rocket.jpg?signature=SECRET"
        #expect(text.contains("\(server.address)/\(given)"))
        #expect(!text.replacingOccurrences(of: given, with: "").contains("=SECRET"))
        #expect(text.contains("X-Key: redacted"))
    }
}
