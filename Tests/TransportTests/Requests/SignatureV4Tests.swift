import Files
import Foundation
import LoopbackServer
import Testing
import Transport

/// AWS Signature Version 4, as a server gets it, with a fixed time and host.
@Suite(.timeLimit(.minutes(10))) struct SignatureV4Tests {
    /// A request and the signature that it must have.
    struct Vector: Sendable {
        var method = "GET"
        let target: String
        var headers: [String: String] = [:]
        var body: String?
        let signature: String
    }

    /// AWS's Signature Version 4 test suite, for a service whose paths are encoded twice.
    private static let general = [
        Vector(target: "/", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        Vector(
            target: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        Vector(
            target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        Vector(
            target: "/",
            headers: ["My-Header1": "value1", "My-Header2": "\"a   b   c\""],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        Vector(
            method: "POST",
            target: "/",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        ),
        // Not of the suite: computed with Python's hmac and hashlib.
        Vector(
            target: "/a%20b",
            signature: "08c33fd523b5dc18699a2c38863929f12203a282c033d442d45b59a096458aa6"
        ),
    ]

    /// The examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header", and keys that are
    /// easily signed wrong, computed with Python's hmac and hashlib.
    private static let s3 = [
        Vector(
            target: "/test.txt",
            headers: ["Range": "bytes=0-9"],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Vector(
            method: "PUT",
            target: "/test$file.text",
            headers: [
                "Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
            ],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Vector(
            target: "/?lifecycle",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Vector(
            target: "/?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
        Vector(
            target: "/photos/a=b+c%20d/%c3%a9t%C3%A9&(1)%3F%23%2541~.jpg",
            signature: "540d9da772f73ea1ab1923a24be7dd4cb216923d00fd4c233e28591f4e6ff0eb"
        ),
        Vector(
            target: "/?prefix=photos/a%3Db%2Bc+d%2F&list-type=2",
            signature: "6d9b670c84fa894972da665f0e8a27f6c6af44c14352bd4d6fa45904761d15a4"
        ),
        Vector(
            target: "/a/../b//c",
            signature: "4b03a601eed5e3c62127c2e70c72eeb0333054359302894a249aa6bcf68707bc"
        ),
    ]

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    /// Sends the request of `vector` and returns what the server got.
    private func sent(
        _ vector: Vector,
        host: String,
        time: String?,
        _ signature: AWSSignature
    ) async throws -> LoopbackServer.Request {
        let server = try LoopbackServer { _ in .status(200) }
        var request = TransferRequest(server, vector.target)
        request.method = vector.method
        request.headers = [.init("Host", host)] + vector.headers.map { .init($0.key, $0.value) }
        if let time { request.headers.append(.init("X-Amz-Date", time)) }
        request.body = vector.body.map { Payload(Data($0.utf8)) }
        request.authentication = .awsSigV4(signature)
        #expect(await Transport().run(request).error == nil)
        return try #require(server.requests.first)
    }

    private func authorization(_ request: LoopbackServer.Request) -> String {
        request.headers["authorization"]?.components(separatedBy: "Signature=").last ?? ""
    }

    private static let s3Signature = AWSSignature(
        AWSCredentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        ),
        region: "us-east-1",
        service: "s3"
    )

    @Test("requests have the signatures that AWS publishes", arguments: general)
    func published(vector: Vector) async throws {
        let published = AWSSignature(
            AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1",
            service: "service"
        )
        let host = "example.amazonaws.com"
        let request = try await sent(vector, host: host, time: "20150830T123600Z", published)
        #expect(authorization(request) == vector.signature)
        let field = request.headers["authorization"] ?? ""
        let scope = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request"
        #expect(field.hasPrefix("AWS4-HMAC-SHA256 Credential=\(scope), SignedHeaders=host;"))
        #expect(request.headers["x-amz-content-sha256"] == nil)
    }

    @Test(
        "requests to S3 have the signatures that AWS publishes, also for keys with any bytes",
        arguments: s3
    )
    func publishedForS3(vector: Vector) async throws {
        let host = "examplebucket.s3.amazonaws.com"
        let request = try await sent(vector, host: host, time: "20130524T000000Z", Self.s3Signature)
        #expect(authorization(request) == vector.signature)
        let target = request.query.isEmpty ? request.path : "\(request.path)?\(request.query)"
        #expect(target == vector.target)
    }

    @Test("a session token is sent and signed")
    func token() async throws {
        var signature = Self.s3Signature
        signature.credentials.sessionToken = "AQoDYXdzEPT//////////wEXAMPLE=="
        let vector = Vector(
            target: "/test.txt",
            signature: "39f8588d030d10666f5e2c2d31f4ca50435e789a4d3ed931123231ec7bb9e6d9"
        )
        let host = "examplebucket.s3.amazonaws.com"
        let request = try await sent(vector, host: host, time: "20130524T000000Z", signature)
        #expect(authorization(request) == vector.signature)
        #expect(request.headers["x-amz-security-token"] == signature.credentials.sessionToken)
    }

    @Test(
        "the time is that of the transfer, and the next one on the same handle has a signature of its own or none"
    )
    func time() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let transport = Transport()
        var request = TransferRequest(server, "/a.png")
        request.authentication = .awsSigV4(Self.s3Signature)
        let before = Date()
        #expect(await transport.run(request).error == nil)
        request.authentication = nil
        #expect(await transport.run(request).error == nil)
        let after = Date()
        let first = try #require(server.requests.first?.headers)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        let sent = try #require(format.date(from: first["x-amz-date"] ?? ""))
        #expect(before.timeIntervalSince(sent) < 1 && sent <= after)
        let second = try #require(server.requests.last?.headers)
        let added = ["authorization", "x-amz-date", "x-amz-content-sha256"]
        #expect(added.allSatisfy { second[$0] == nil })
    }
}
