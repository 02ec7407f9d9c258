import Foundation
import Nuke
import TestSupport
import Testing

/// Loads over TLS from `openssl s_server`, which trusts and shows what a certificate authority of the test's own has signed.
@Suite(.timeLimit(.minutes(10)))
struct CertificateTests {
    @Test func trustsTheConfiguredAuthorityAlone() async throws {
        let server = try await TLSServer(asksForCertificate: false)
        defer { server.stop() }
        var configuration = CurlDataLoader.Configuration()
        let refused = await CurlDataLoader(configuration: configuration).load(try server.url())
        #expect(refused.loadingError?.reason == .tls)
        #expect(refused.loadingError?.isTransient == false)
        configuration.certificateAuthorities = server.folder.path("ca.pem")
        let outcome = await CurlDataLoader(configuration: configuration).load(try server.url())
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("over TLS".utf8))
    }

    @Test func showsItsCertificate() async throws {
        let server = try await TLSServer(asksForCertificate: true)
        defer { server.stop() }
        var configuration = CurlDataLoader.Configuration()
        configuration.certificateAuthorities = server.folder.path("ca.pem")
        let refused = await CurlDataLoader(configuration: configuration).load(try server.url())
        #expect(refused.error != nil)
        #expect(refused.chunks.isEmpty)
        configuration.limits.clientCertificate = .init(
            certificate: server.folder.path("client.pem"),
            key: server.folder.path("client.key"),
            password: "opensesame"
        )
        let outcome = await CurlDataLoader(configuration: configuration).load(try server.url())
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("over TLS".utf8))
        configuration.limits.clientCertificate?.password = "wrong"
        let wrong = await CurlDataLoader(configuration: configuration).load(try server.url())
        #expect(wrong.loadingError?.reason == .tls)
        #expect(wrong.loadingError?.message.contains("wrong") == false)
    }
}

/// A TLS server on loopback that serves one file, with certificates made for it.
private struct TLSServer {
    let folder: TemporaryFolder
    private let program: Program
    private let port: String

    init(asksForCertificate: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("over TLS", to: "page.txt")
        let request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2"]
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key"]
        let commands: [[String]] = [
            request + ["-noenc", "-subj", "/CN=Test CA", "-keyout", "ca.key", "-out", "ca.pem"],
            request + signed + [
                "-noenc", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "server.key", "-out",
                "server.pem",
            ],
            request + signed + [
                "-passout", "pass:opensesame", "-subj", "/CN=client",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "client.key", "-out",
                "client.pem",
            ],
        ]
        for words in commands {
            let outcome = try await Program(path: Self.openssl, words, in: folder.path).wait()
            try #require(outcome.exit == 0, "\(outcome.errors)")
        }
        let (ports, continuation) = AsyncStream<String>.makeStream()
        let words = [
            "s_server", "-accept", "127.0.0.1:0", "-WWW", "-cert", "server.pem", "-key", "server.key",
        ]
        program = try Program(
            path: Self.openssl,
            words
                + (asksForCertificate ? ["-CAfile", "ca.pem", "-Verify", "1", "-verify_return_error"] : []),
            in: folder.path
        ) { line in
            // As "ACCEPT 127.0.0.1:40123".
            if line.hasPrefix("ACCEPT"), let port = line.split(separator: ":").last {
                continuation.yield(String(port))
            }
        }
        var found: String?
        for await port in ports {
            found = port
            break
        }
        port = try #require(found)
        self.folder = folder
    }

    func url() throws -> URL {
        try #require(URL(string: "https://127.0.0.1:\(port)/page.txt"))
    }

    func stop() {
        program.signal(SIGKILL)
    }

    private static let openssl = "/usr/bin/openssl"
}
