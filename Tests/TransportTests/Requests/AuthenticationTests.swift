import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(10))) struct AuthenticationTests {
    private static let secrets = AWSSignature(
        AWSCredentials(
            accessKey: "AKIDEXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: "token-secret"
        ),
        region: "eu-central-1",
        service: "s3"
    )

    private func request(_ server: LoopbackServer, _ authentication: Authentication?) -> TransferRequest {
        var request = TransferRequest(server, "/a/b")
        request.authentication = authentication
        return request
    }

    @Test("name and password go with the request, and with no later one")
    func basic() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let transport = Transport()
        _ = await transport.run(request(server, .basic(user: "Aladdin", password: "open:sesame")))
        _ = await transport.run(request(server, nil))
        _ = await transport.run(request(server, .bearer(token: "mF_9.B5f-4.1JqM")))
        var other = request(server, nil)
        other.headers = [.init("X", "y")]
        _ = await transport.run(other)
        #expect(
            server.requests.map { $0.headers["authorization"] } == [
                "Basic \(Data("Aladdin:open:sesame".utf8).base64EncodedString())", nil,
                "Bearer mF_9.B5f-4.1JqM",
                nil,
            ]
        )
        #expect(server.requests.map { $0.headers["x"] } == [nil, nil, nil, "y"])
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test("a digest answers the server's challenge, which the delegate does not see")
    func digest() async throws {
        let server = try LoopbackServer { request in
            guard request.headers["authorization"] != nil else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
                return .status(401, headers: [("WWW-Authenticate", challenge)])
            }
            return .data(Data("secret".utf8))
        }
        let outcome = await Transport().run(
            request(server, .digest(user: "Mufasa", password: "Circle Of Life"))
        )
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 200)
        #expect(outcome.body == Data("secret".utf8))
        #expect(server.requests.count == 2)
        let proof = server.requests.last?.headers["authorization"] ?? ""
        #expect(proof.hasPrefix("Digest username=\"Mufasa\""))
        #expect(proof.contains("uri=\"/a/b\""))
        #expect(!proof.contains("Circle"))
    }

    @Test("a challenge that cannot be answered is the response", arguments: [true, false])
    func unansweredChallenge(isDigest: Bool) async throws {
        let server = try LoopbackServer { _ in
            .status(
                401,
                headers: [("WWW-Authenticate", isDigest ? "Digest realm=\"r\", nonce=\"n\"" : "Basic")]
            )
        }
        let outcome = await Transport().run(request(server, .digest(user: "a", password: "b")))
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 401)
        #expect(!outcome.body.isEmpty)
        #expect(outcome.ends == 1)
    }

    @Test("a login of a file is used for its host, and for no other")
    func netrc() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .status(200) }
        for (machine, header) in [
            ("127.0.0.1", "Basic \(Data("me:pw".utf8).base64EncodedString())"), ("other", nil),
        ] {
            let path = try folder.write("machine \(machine) login me password pw\n", to: "netrc")
            _ = await Transport().run(request(server, .netrc(path: path)))
            #expect(server.requests.last?.headers["authorization"] == header)
        }
    }

    @Test(
        "names, passwords and tokens that cannot be sent are refused",
        arguments: [
            Authentication.basic(user: "a:b", password: "c"), .digest(user: "a:b", password: "c"),
            .basic(user: "a\n", password: "c"), .basic(user: "a", password: "c\u{7F}"),
            .digest(user: "a", password: "\u{1F}"), .bearer(token: ""), .bearer(token: "a\r\nB: c"),
            .awsSigV4(
                AWSSignature(AWSCredentials(accessKey: "a", secretKey: "b"), region: "", service: "s3")
            ),
            .awsSigV4(AWSSignature(AWSCredentials(accessKey: "a", secretKey: "b"), region: "r", service: "")),
            .awsSigV4(AWSSignature(AWSCredentials(accessKey: "", secretKey: "b"), region: "r", service: "s")),
            .awsSigV4(AWSSignature(AWSCredentials(accessKey: "a", secretKey: ""), region: "r", service: "s")),
            .awsSigV4(
                AWSSignature(AWSCredentials(accessKey: "a", secretKey: "b"), region: "r:x", service: "s")
            ),
            .awsSigV4(
                AWSSignature(AWSCredentials(accessKey: "a", secretKey: "b"), region: "r", service: "s:x")
            ),
            .awsSigV4(
                AWSSignature(
                    AWSCredentials(accessKey: "a", secretKey: "b", sessionToken: "\n"),
                    region: "r",
                    service: "s"
                )
            ),
        ]
    )
    func refusals(authentication: Authentication) {
        #expect(authentication.refusal?.reason == .protocol)
    }

    @Test("all others are sent")
    func accepted() {
        for authentication in [
            Authentication.basic(user: "", password: ""), .basic(user: "ü", password: "a:b"),
            .bearer(token: "a"), .awsSigV4(Self.secrets), .netrc(),
            .awsSigV4(
                AWSSignature(AWSCredentials(accessKey: "a:b", secretKey: "c:d"), region: "r", service: "s")
            ),
        ] {
            #expect(authentication.refusal == nil)
        }
        #expect(Authentication.digest(user: "a", password: "b").isChallenged)
        #expect(!Authentication.basic(user: "a", password: "b").isChallenged)
    }

    @Test("nothing that prints credentials shows a secret")
    func printing() {
        var certificate = ClientCertificate(certificate: "c.pem", key: "k.pem", password: "cert-secret")
        certificate.key = "k.pem"
        let all: [Any] = [
            Authentication.basic(user: "user-secret", password: "pass-secret"),
            Authentication.digest(user: "user-secret", password: "pass-secret"),
            Authentication.bearer(token: "token-secret"), Authentication.awsSigV4(Self.secrets), Self.secrets,
            certificate,
        ]
        for value in all {
            var text = ""
            dump(value, to: &text)
            text += String(describing: value) + String(reflecting: value)
            #expect(!text.contains("secret"))
            #expect(!text.contains("EXAMPLE"))
        }
        #expect("\(Authentication.awsSigV4(Self.secrets))" == "awsSigV4")
        #expect("\(Self.secrets)" == "eu-central-1/s3")
        #expect("\(certificate)" == "c.pem")
    }
}
