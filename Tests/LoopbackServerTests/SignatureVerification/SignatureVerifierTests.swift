import Foundation
import LoopbackServer
import Testing

/// The errors with which the store refuses a request that is not signed as it must be.
@Suite(.timeLimit(.minutes(10))) struct SignatureVerifierTests {
    private let store: LoopbackObjectStore
    private var client: StoreClient

    init() throws {
        store = try LoopbackObjectStore(.init("photos"))
        store.put(Data("one".utf8), key: "a b+c", bucket: "photos")
        client = StoreClient(store)
    }

    private func code(
        _ target: String = "/photos/a%20b%2Bc",
        headers: [String: String] = [:],
        change: [String: String?] = [:]
    ) throws -> String {
        let answer = try client.send("GET", target, headers: headers, change: change)
        return "\(answer.status) \(answer.element("Code") ?? "")"
    }

    @Test func acceptsWhatIsSignedRight() throws {
        #expect(try code() == "200 ")
        #expect(try code(headers: ["x-amz-content-sha256": "UNSIGNED-PAYLOAD"]) == "200 ")
    }

    @Test func refusesRequestsWithoutASignature() throws {
        #expect(try code(change: ["authorization": nil]) == "403 AccessDenied")
        #expect(try code(change: ["x-amz-content-sha256": nil]) == "403 AccessDenied")
        #expect(try code(change: ["x-amz-date": nil]) == "403 AccessDenied")
    }

    @Test func refusesHeadersThatAreNotSigned() throws {
        let answer = try client.send("GET", "/photos/a%20b%2Bc", change: ["x-amz-meta-a": "1"])
        #expect(answer.status == 403)
        #expect(answer.element("HeadersNotSigned") == "x-amz-meta-a")
        #expect(try code(change: ["accept": "*/*"]) == "200 ")
    }

    /// A path that is sent unencoded, or encoded twice when signed, is another path to S3.
    @Test func decodesThePathAsS3Does() throws {
        #expect(try code("/photos/a+b%2Bc") == "403 SignatureDoesNotMatch")
        #expect(try code("/photos/a%20b+c") == "403 SignatureDoesNotMatch")
        #expect(try code("/photos/a%2") == "400 InvalidURI")
    }

    @Test(arguments: [
        (-899 + 60, "200 "), (-901, "403 RequestTimeTooSkewed"), (960, "403 RequestTimeTooSkewed"),
    ])
    func comparesTheTimeWithItsOwnClock(_ offset: Int, _ expected: String) throws {
        store.clockOffset = Double(offset)
        let answer = try client.send("GET", "/photos/a%20b%2Bc")
        #expect("\(answer.status) \(answer.element("Code") ?? "")" == expected)
        guard answer.status == 403 else { return }
        let time = try #require(answer.element("ServerTime"))
        let format = ISO8601DateFormatter()
        format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let server = try #require(format.date(from: time))
        #expect(abs(server.timeIntervalSinceNow - Double(offset)) < 60)
    }

    @Test mutating func knowsItsKeys() throws {
        client.credential.secretAccessKey = "other"
        #expect(try code() == "403 SignatureDoesNotMatch")
        client.credential.accessKeyID = "OTHER"
        #expect(try code() == "403 InvalidAccessKeyId")
    }

    @Test mutating func wantsTheTokenOfATemporaryKey() throws {
        store.credentials = [
            .init(
                accessKeyID: "ASIA",
                secretAccessKey: "s",
                sessionToken: "to/ken=",
                expiration: Date(timeIntervalSinceNow: 3600)
            )
        ]
        client.credential = store.credentials[0]
        #expect(try code() == "200 ")
        client.credential.sessionToken = "other"
        #expect(try code() == "400 InvalidToken")
        client.credential.sessionToken = nil
        #expect(try code() == "403 InvalidAccessKeyId")
        client.credential = store.credentials[0]
        store.credentials[0].expiration = Date(timeIntervalSinceNow: -1)
        #expect(try code() == "400 ExpiredToken")
    }

    @Test mutating func redirectsToTheRegionOfTheBucket() throws {
        let store = try LoopbackObjectStore(.init("photos"), .init("far", region: "eu-west-1"))
        client = StoreClient(store)
        let redirect = try client.send("GET", "/far/key")
        #expect(redirect.status == 301)
        #expect(redirect.element("Code") == "PermanentRedirect")
        #expect(redirect.headers["x-amz-bucket-region"] == "eu-west-1")
        client.region = "eu-west-1"
        #expect(try code("/far/key") == "404 NoSuchKey")
        let wrong = try client.send("GET", "/photos/key")
        #expect(wrong.status == 400)
        #expect(wrong.element("Code") == "AuthorizationHeaderMalformed")
        #expect(wrong.element("Region") == "us-east-1")
    }
}
