import Files
import Foundation
import LoopbackServer
import Nuke
import Testing

/// AWS Signature Version 4 as its documentation describes it, held against what libcurl sends.
struct SignatureTests {
    @Test(arguments: ["/photos/a.png", "/a%20b.png?versionId=7"], [nil, "a temporary token"])
    func signsAsAWSWantsIt(path: String, token: String?) async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let credentials = AWSSignature(
            AWSCredentials(
                accessKey: "AKIDEXAMPLE",
                secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                sessionToken: token
            ),
            region: "eu-central-1",
            service: "s3"
        )
        var configuration = CurlDataLoader.Configuration()
        configuration.limits.authentication = .awsSigV4(credentials)
        #expect(await CurlDataLoader(configuration: configuration).load(server.url(path)).error == nil)
        let request = try #require(server.requests.first)
        #expect(request.headers["x-amz-security-token"] == token)
        let field = try #require(request.headers["authorization"])
        let signature = try #require(field.components(separatedBy: "Signature=").last)
        #expect(try Self.signature(of: request, field, credentials) == signature, "\(request.headers)")
        var other = credentials
        other.credentials.secretKey += "x"
        #expect(try Self.signature(of: request, field, other) != signature)
    }

    @Test func showsNoKey() {
        let keys = AWSSignature(
            AWSCredentials(accessKey: "AK", secretKey: "SECRET", sessionToken: "TOKEN"),
            region: "r",
            service: "s"
        )
        var dumped = ""
        dump(Authentication.awsSigV4(keys), to: &dumped)
        dump(keys, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), dumped] {
            #expect(!text.contains("SECRET") && !text.contains("TOKEN"), "\(text)")
        }
    }

    /// The signature that a request with these header fields must have.
    private static func signature(
        of request: LoopbackServer.Request,
        _ field: String,
        _ parameters: AWSSignature
    ) throws -> String {
        let names = try #require(field.components(separatedBy: "SignedHeaders=").last?.prefix { $0 != "," })
        let headers = names.split(separator: ";").map { "\($0):\(request.headers[String($0)] ?? "")\n" }
            .joined()
        let time = try #require(request.headers["x-amz-date"])
        let payload = request.headers["x-amz-content-sha256"] ?? Digest.sha256.hex(of: "")
        let canonical =
            "\(request.method)\n\(request.path)\n\(request.query)\n\(headers)\n\(names)\n\(payload)"
        let scope = [String(time.prefix(8)), parameters.region, parameters.service, "aws4_request"]
        let text = ["AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), Digest.sha256.hex(of: canonical)]
        let key = scope.reduce(Array("AWS4\(parameters.credentials.secretKey)".utf8)) { hmac($0, $1) }
        return hmac(key, text.joined(separator: "\n")).map { String(format: "%02x", $0) }.joined()
    }

    /// HMAC with SHA-256 (RFC 2104); no key here is longer than a block.
    private static func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        let block = key + Array(repeating: 0, count: 64 - key.count)
        let inner = Digest.sha256.bytes(of: Data(block.map { $0 ^ 0x36 } + Array(text.utf8)))
        return Digest.sha256.bytes(of: Data(block.map { $0 ^ 0x5c } + inner))
    }
}
