import Foundation
import Nuke
import TestSupport
import Testing

/// Loads over TLS from `openssl s_server`, which trusts and shows what a certificate authority of the test's own has signed.
@Suite(.timeLimit(.minutes(10)))
struct CertificateTests {
    private static let files = ["page.txt": Data("over TLS".utf8)]

    private func url(of server: TLSServer) throws -> URL {
        try #require(URL(string: server.address + "/page.txt"))
    }

    @Test func trustsTheConfiguredAuthorityAlone() async throws {
        let server = try await TLSServer(files: Self.files)
        defer { server.stop() }
        var configuration = CurlDataLoader.Configuration()
        let refused = await CurlDataLoader(configuration: configuration).load(try url(of: server))
        #expect(refused.loadingError?.reason == .tls)
        #expect(refused.loadingError?.isTransient == false)
        configuration.certificateAuthorities = server.folder.path("ca.pem")
        let outcome = await CurlDataLoader(configuration: configuration).load(try url(of: server))
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("over TLS".utf8))
    }

    @Test func showsItsCertificate() async throws {
        let server = try await TLSServer(asksForCertificate: true, files: Self.files)
        defer { server.stop() }
        var configuration = CurlDataLoader.Configuration()
        configuration.certificateAuthorities = server.folder.path("ca.pem")
        let refused = await CurlDataLoader(configuration: configuration).load(try url(of: server))
        #expect(refused.error != nil)
        #expect(refused.chunks.isEmpty)
        configuration.limits.clientCertificate = .init(
            certificate: server.folder.path("client.pem"),
            key: server.folder.path("client.key"),
            password: "opensesame"
        )
        let outcome = await CurlDataLoader(configuration: configuration).load(try url(of: server))
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("over TLS".utf8))
        configuration.limits.clientCertificate?.password = "wrong"
        let wrong = await CurlDataLoader(configuration: configuration).load(try url(of: server))
        #expect(wrong.loadingError?.reason == .tls)
        #expect(wrong.loadingError?.message.contains("wrong") == false)
    }
}
