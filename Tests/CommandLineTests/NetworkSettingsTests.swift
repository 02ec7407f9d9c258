import Foundation
import LoopbackServer
import TestSupport
import Testing

/// The manifest's settings of connections to origins: proxy, FTP, `.netrc`, signatures, bandwidth.
@Suite(.timeLimit(.minutes(10))) struct NetworkSettingsTests {
    /// Warms a cache with one URL and these settings.
    private func warm(
        _ url: String,
        _ settings: String,
        allow: String = "127.0.0.1",
        environment: [String: String] = [:],
        files: [String: String] = [:]
    ) async throws -> (exit: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        try folder.write(
            """
            {"sources": [{"urls": ["\(url)"]}], "cache": {"directory": "cache"}, "retry": {"attempts": 1},
             \(settings.replacing("ALLOW", with: "\"allow\": [\"\(allow)\"]"))}
            """,
            to: "job.json"
        )
        let environment = environment.merging(["HOME": folder.path]) { $1 }
        let program = try Program(
            "nuke-batch",
            ["warm", "job.json"],
            in: folder.path,
            environment: environment
        )
        let outcome = await program.wait()
        let items = try await Program.run("nuke-batch", ["items", "job.json"], in: folder.path)
        return (outcome.exit, outcome.output + items.output, outcome.errors)
    }

    private static func server() throws -> LoopbackServer {
        let photo = try TestImages.tiny(1)
        return try LoopbackServer { _ in .data(photo, type: "image/png") }
    }

    @Test("requests go through the manifest's proxy, whose address alone is checked")
    func proxy() async throws {
        let proxy = try Self.server()
        let url = "http://no-such-host.invalid/a.png"
        let good = try await warm(url, #""network": {"proxy": "\#(proxy.address)", ALLOW}"#)
        #expect(good.exit == 0, "\(good.output)\(good.errors)")
        #expect(proxy.requests.map(\.path) == [url])
        let refused = try await warm(
            url,
            #""network": {"proxy": "\#(proxy.address)", ALLOW}"#,
            allow: "10.0.0.0/8"
        )
        #expect(refused.exit == 1 && refused.output.contains("network.allow"), "\(refused.output)")
        #expect(proxy.requests.count == 1)
    }

    @Test("the environment's proxies are used where the manifest says so, and else not")
    func environmentProxy() async throws {
        let proxy = try Self.server()
        let environment = ["http_proxy": proxy.address]
        let url = "http://no-such-host.invalid/a.png"
        let used = try await warm(
            url,
            #""network": {"proxy": "environment", ALLOW}"#,
            environment: environment
        )
        #expect(used.exit == 0, "\(used.output)\(used.errors)")
        let refused = try await warm(
            url,
            #""network": {"proxy": "environment", ALLOW}"#,
            allow: "10.0.0.0/8",
            environment: environment
        )
        #expect(refused.exit == 1 && refused.output.contains("add \"127.0.0.1\" to network.allow"))
        let unused = try await warm(url, #""network": {ALLOW}"#, environment: environment)
        #expect(unused.exit == 1)
        #expect(proxy.requests.count == 1)
    }

    @Test("an image at an FTP server is loaded; one that is missing fails as such; its address is checked")
    func ftp() async throws {
        let server = FTPServer(file: try TestImages.tiny(1))
        let address = "ftp://127.0.0.1:\(server.port)"
        let good = try await warm("\(address)/folder/a.png", #""network": {ALLOW}"#)
        #expect(good.exit == 0, "\(good.output)\(good.errors)")
        let missing = try await warm("\(address)/missing.png", #""network": {ALLOW}"#)
        #expect(missing.exit == 1 && missing.output.contains("not_found"), "\(missing.output)")
        let refused = try await warm("\(address)/a.png", #""network": {ALLOW}"#, allow: "10.0.0.0/8")
        #expect(refused.exit == 1 && refused.output.contains("network.allow"), "\(refused.output)")
    }

    @Test("the user's .netrc says who asks, for its host alone")
    func netrc() async throws {
        let server = try Self.server()
        for machine in ["127.0.0.1", "other.example"] {
            let outcome = try await warm(
                "\(server.address)/a.png",
                #""loading": {"auth": {"netrc": true}}, "network": {ALLOW}"#,
                files: [".netrc": "machine \(machine) login Aladdin password opensesame\n"]
            )
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        }
        let expected = "Basic \(Data("Aladdin:opensesame".utf8).base64EncodedString())"
        #expect(server.requests.map { $0.headers["authorization"] } == [expected, nil])
    }

    @Test("requests are signed for AWS, with the key of the manifest or the environment")
    func awsSigV4() async throws {
        let server = try Self.server()
        let keys = #""region": "eu-central-1", "service": "s3", "accessKey": "AKIDEXAMPLE""#
        for (secret, environment) in [
            (#", "secretKey": "wJalr", "sessionToken": "temporary""#, [:]),
            ("", ["AWS_SECRET_ACCESS_KEY": "wJalr"]),
        ] {
            let outcome = try await warm(
                "\(server.address)/a.png",
                #""loading": {"auth": {"awsSigV4": {\#(keys)\#(secret)}}}, "network": {ALLOW}"#,
                environment: environment
            )
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.errors)")
        }
        let fields = server.requests.compactMap { $0.headers["authorization"] }
        #expect(fields.count == 2)
        for field in fields {
            #expect(field.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "\(field)")
            #expect(field.contains("/eu-central-1/s3/aws4_request"))
        }
        #expect(server.requests.map { $0.headers["x-amz-security-token"] } == ["temporary", nil])
    }
}
