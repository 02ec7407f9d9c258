import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Transport

/// What an answer repeats of its request is not kept, in whatever form.
@Suite(.timeLimit(.minutes(5))) struct RequestSecretsTests {
    /// The forms in which a server repeats a secret, each in one header field or two.
    private static let forms: [@Sendable (String) -> [String]] = [
        { [$0] }, { ["before \($0) behind"] },
        { [Data($0.utf8).base64EncodedString()] },
        { [$0.utf8.map { String(format: "%%%02X", $0) }.joined()] },
        { [$0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""] },
        { secret in
            let half = secret.index(secret.startIndex, offsetBy: secret.count / 2)
            return [String(secret[..<half]), String(secret[half...])]
        },
        { secret in
            let third = secret.index(secret.startIndex, offsetBy: secret.count / 3)
            return [String(secret[..<third]), String(secret[third...])]
        },
    ]

    /// A request that carries a secret, and the secret.
    struct Carried: Sendable, CustomTestStringConvertible {
        let name: String
        let secret: String
        var headers: [TransferRequest.Header] = []
        var authentication: Authentication?
        var user: String?

        var testDescription: String { name }

        static let all = [
            Carried(
                name: "bearer",
                secret: "mF_9.B5f-4.1JqM-secret",
                authentication: .bearer(token: "mF_9.B5f-4.1JqM-secret")
            ),
            Carried(
                name: "basic",
                secret: "open:sesame/12",
                authentication: .basic(user: "Aladdin", password: "open:sesame/12")
            ),
            Carried(
                name: "basic, encoded",
                secret: Data("Aladdin:open:sesame".utf8).base64EncodedString(),
                authentication: .basic(user: "Aladdin", password: "open:sesame")
            ),
            Carried(name: "URL", secret: "hush-password", user: "ann:hush-password"),
            Carried(name: "URL, percent-encoded", secret: "hush pass/word", user: "ann:hush%20pass%2Fword"),
            Carried(
                name: "URL, encoded",
                secret: Data("ann:hush-password".utf8).base64EncodedString(),
                user: "ann:hush-password"
            ),
            Carried(name: "header", secret: "key-4711-0815", headers: [.init("X-API-Key", "key-4711-0815")]),
            Carried(
                name: "cookie",
                secret: "id-4711-0815-xyz",
                headers: [.init("Cookie", "a=1; s=id-4711-0815-xyz")]
            ),
            Carried(
                name: "Authorization",
                secret: "opaque-4711-token",
                headers: [.init("Authorization", "Token opaque-4711-token")]
            ),
            Carried(
                name: "session token",
                secret: "FwoGZXIvYXdzEJr//////////wEaDH+x4711==",
                authentication: .awsSigV4(
                    AWSSignature(
                        AWSCredentials(
                            accessKey: "AKIDEXAMPLE",
                            secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                            sessionToken: "FwoGZXIvYXdzEJr//////////wEaDH+x4711=="
                        ),
                        region: "eu-central-1",
                        service: "s3"
                    )
                )
            ),
        ]
    }

    @Test("no header field of an answer keeps a secret, or half of one", arguments: Carried.all)
    func echoes(carried: Carried) async throws {
        let names = ["X-Echo", "X-Rest", "ETag", "Last-Modified", "X-Amz-Request-Id", "Server"]
        let server = try LoopbackServer { request in
            let index = Int(request.path.dropFirst()) ?? 0
            let parts = Self.forms[index](carried.secret)
            var headers = [("X-Harmless", "kept"), ("Content-Language", "en")]
            for (number, part) in parts.enumerated() { headers.append((names[number], part)) }
            for name in names[2...] { headers.append((name, parts[0])) }
            return .init(status: 200, headers: headers, body: .data(Data("x".utf8)))
        }
        let transport = Transport()
        for index in Self.forms.indices {
            var request = TransferRequest(server, "/\(index)")
            if let user = carried.user { request.url = request.url.replacing("://", with: "://\(user)@") }
            (request.headers, request.authentication) = (carried.headers, carried.authentication)
            let outcome = await transport.run(request)
            let head = try #require(outcome.head, "\(outcome.error as Any)")
            let parts = Self.forms[index](carried.secret).filter { $0.count > 5 }
            for header in head.headers {
                #expect(!parts.contains { header.value.contains($0) }, "form \(index): \(header)")
            }
            // A few characters say nothing.
            if parts.contains(Self.forms[index](carried.secret)[0]) {
                #expect(head.value(of: "X-Echo") == RequestSecrets.replacement)
                #expect(head.value(of: "ETag") == nil && head.value(of: "Last-Modified") == nil)
            }
            #expect(head.value(of: "X-Harmless") == "kept" && head.contentLength == 1)
            #expect(head.carried.hidden("it was \(carried.secret)") == RequestSecrets.replacement)
        }
    }

    @Test("a signature that a store repeats is hidden as well")
    func signature() async throws {
        let server = try LoopbackServer { request in
            let authorization = request.headers["authorization"] ?? ""
            let signature = authorization.split(separator: "=").last.map(String.init) ?? ""
            return .status(
                403,
                headers: [("X-Whole", authorization), ("X-Signature", signature), ("X-Amz-Id-2", "ab12")]
            )
        }
        var request = TransferRequest(server, "/a")
        request.authentication = .awsSigV4(
            AWSSignature(
                AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG"),
                region: "eu-central-1",
                service: "s3"
            )
        )
        let head = try #require(await Transport().run(request).head)
        #expect(server.requests.first?.headers["authorization"]?.contains("Signature=") == true)
        #expect(head.value(of: "X-Whole") == RequestSecrets.replacement)
        #expect(head.value(of: "X-Signature") == RequestSecrets.replacement)
        #expect(head.value(of: "X-Amz-Id-2") == "ab12")
    }

    @Test("a control: without a secret in the request, an answer is kept as it was sent")
    func control() async throws {
        let server = try LoopbackServer { _ in
            .status(200, headers: [("X-Echo", "mF_9.B5f-4.1JqM-secret"), ("ETag", "\"mF_9.B5f\"")])
        }
        var request = TransferRequest(server, "/a")
        request.headers = [.init("Accept", "mF_9.B5f-4.1JqM-secret"), .init("Range", "bytes=0-100000")]
        let head = try #require(await Transport().run(request).head)
        #expect(head.value(of: "X-Echo") == "mF_9.B5f-4.1JqM-secret" && head.value(of: "ETag") != nil)
        #expect(head.carried.isEmpty)
    }

    @Test("a key of a service hides no field on which the transfer depends")
    func needed() async throws {
        let server = try LoopbackServer { _ in
            .init(status: 200, headers: [("Content-Type", "image/jpeg")], body: .data(Data("x".utf8)))
        }
        var request = TransferRequest(server, "/a")
        request.headers = [.init("X-Format", "image/jpeg")]
        let head = try #require(await Transport().run(request).head)
        #expect(head.value(of: "Content-Type") == "image/jpeg" && head.contentLength == 1)
    }
}
