import Foundation
import LoopbackServer
import Testing

/// The examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header" and "Authenticating
/// Requests: Using Query Parameters", on the day on which they were signed.
@Suite(.timeLimit(.minutes(10))) struct PublishedSignatureTests {
    /// An example, and the status by which the store shows that it accepted the signature.
    struct Example: Sendable {
        var method = "GET"
        let target: String
        var fields: [String: String] = [:]
        var body = ""
        let status: Int
        let signature: String
    }

    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    static let examples = [
        Example(
            target: "/test.txt",
            fields: ["range": "bytes=0-9", "x-amz-content-sha256": emptyHash],
            status: 206,
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            method: "PUT",
            target: "/test%24file.text",
            fields: [
                "date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
                "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            ],
            body: "Welcome to Amazon S3.",
            status: 200,
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        // Not an operation of this store, which says so once the signature is verified.
        Example(
            target: "/?lifecycle",
            fields: ["x-amz-content-sha256": emptyHash],
            status: 501,
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            target: "/?max-keys=2&prefix=J",
            fields: ["x-amz-content-sha256": emptyHash],
            status: 501,
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    private let store: LoopbackObjectStore
    private let client: StoreClient

    init() throws {
        store = try LoopbackObjectStore(
            buckets: [.init("examplebucket")],
            credentials: [
                .init(
                    accessKeyID: "AKIAIOSFODNN7EXAMPLE",
                    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
                )
            ]
        )
        // 24 May 2013, 00:00:00 UTC.
        store.clockOffset = 1_369_353_600 - Date().timeIntervalSince1970
        store.put(Data("0123456789abc".utf8), key: "test.txt", bucket: "examplebucket")
        client = StoreClient(store)
    }

    private func send(_ example: Example, signature: String, body: String? = nil) throws -> StoreClient.Answer
    {
        var fields = example.fields
        fields["host"] = "examplebucket.s3.amazonaws.com"
        fields["x-amz-date"] = "20130524T000000Z"
        fields["authorization"] =
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            + "SignedHeaders=\(fields.keys.sorted().joined(separator: ";")),Signature=\(signature)"
        return try client.send(
            example.method,
            example.target,
            fields: fields,
            body: Data((body ?? example.body).utf8)
        )
    }

    @Test(arguments: examples)
    func acceptsTheSignatureThatAWSPublished(_ example: Example) throws {
        #expect(try send(example, signature: example.signature).status == example.status)
    }

    @Test(arguments: examples)
    func refusesAnyOtherSignature(_ example: Example) throws {
        let other = example.signature.dropLast() + (example.signature.hasSuffix("0") ? "1" : "0")
        let answer = try send(example, signature: String(other))
        #expect(answer.status == 403)
        #expect(answer.element("Code") == "SignatureDoesNotMatch")
        #expect(answer.element("CanonicalRequest")?.hasPrefix(example.method) == true)
    }

    @Test func refusesABodyThatWasNotSigned() throws {
        let example = Self.examples[1]
        let answer = try send(example, signature: example.signature, body: "Welcome to Amazon S4.")
        #expect(answer.status == 400)
        #expect(answer.element("Code") == "XAmzContentSHA256Mismatch")
        #expect(store.objects(in: "examplebucket") == ["test.txt"])
    }

    @Test(arguments: [(0, 200), (86_340, 200), (86_401, 403), (-960, 403)])
    func acceptsThePresignedQueryWhileItIsValid(_ age: Int, _ status: Int) throws {
        store.clockOffset += Double(age)
        #expect(try presigned().status == status)
    }

    @Test func refusesAPresignedQueryThatWasChanged() throws {
        let answer = try presigned(expires: 86_399)
        #expect(answer.status == 403)
        #expect(answer.element("Code") == "SignatureDoesNotMatch")
    }

    private func presigned(expires: Int = 86_400) throws -> StoreClient.Answer {
        let target =
            "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
            + "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=\(expires)"
            + "&X-Amz-SignedHeaders=host"
            + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        return try client.send("GET", target, fields: ["host": "examplebucket.s3.amazonaws.com"])
    }
}
