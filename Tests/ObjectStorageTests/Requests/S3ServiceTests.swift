import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import ObjectStorage
@testable import Transport

/// The lessons of a service's answers about its buckets and credentials.
@Suite(.timeLimit(.minutes(10))) struct S3ServiceTests {
    private func put(_ bucket: String, by client: S3Client) async throws {
        try await S3Store(client, at: ObjectLocation(bucket: bucket, key: "")).put(Data("x".utf8), at: "key")
    }

    @Test(arguments: ["eu-west-1", "ap-south-2"])
    func findsTheRegionOfABucket(region: String) async throws {
        let server = try LoopbackObjectStore(
            buckets: [.init("near"), .init("far", region: region)],
            credentials: [PlacedStore.credential]
        )
        let client = try S3Client(server)
        for _ in 0..<3 { try await put("far", by: client) }
        try await put("near", by: client)
        // One request learned the region, for all later ones.
        #expect(server.count(of: .putObject) == 5)
        #expect(server.objects(in: "far") == ["key"])
    }

    @Test func renewsCredentialsThatHaveEnded() async throws {
        var first = PlacedStore.credential
        first.sessionToken = "first"
        var second = first
        (second.accessKeyID, second.sessionToken) = ("AKIDSECOND", "second")
        let server = try LoopbackObjectStore(buckets: [.init("b")], credentials: [first, second])
        let source = TurningCredentials([first, second])
        let client = try S3Client(server, credentials: source)
        try await put("b", by: client)
        first.expiration = Date(timeIntervalSinceNow: -1)
        server.credentials = [first, second]
        try await put("b", by: client)
        #expect(source.count == 2)
        #expect(server.count(of: .putObject) == 3)
    }

    @Test func saysWhatIsWrongWithTheCredentials() async throws {
        let server = try LoopbackObjectStore(buckets: [.init("b")], credentials: [])
        let client = try S3Client(server)
        await #expect { try await put("b", by: client) } throws: { error in
            (error as? StoreError)?.reason == .credentials && "\(error)".contains("InvalidAccessKeyId")
                && !"\(error)".contains(PlacedStore.credential.secretAccessKey)
        }
        // The same credentials are tried once more, since the source may have given others.
        #expect(server.count(of: .putObject) == 2)
    }

    @Test func asksTheSourceOnceForAllWhoWait() async throws {
        let server = try LoopbackObjectStore(buckets: [.init("b")], credentials: [PlacedStore.credential])
        let source = TurningCredentials([PlacedStore.credential])
        let client = try S3Client(server, credentials: source)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await put("b", by: client) } }
            try await group.waitForAll()
        }
        #expect(source.count == 1)
    }

    @Test func paysAndSignsNothingIfAsked() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.Response(headers: [("ETag", "\"a\"")]) }
        var configuration = try S3Configuration(endpoint: server.address)
        (configuration.isAnonymous, configuration.paysForRequests) = (true, true)
        let client = S3Client(S3Service(configuration, credentials: TurningCredentials([])))
        try await put("b", by: client)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["authorization"] == nil && headers["x-amz-date"] == nil)
        #expect(headers["x-amz-request-payer"] == "requester")
    }

    @Test func givesAURLThatAnybodyCanUse() async throws {
        var credential = PlacedStore.credential
        credential.sessionToken = "to/k+en="
        let server = try LoopbackObjectStore(buckets: [.init("b")], credentials: [credential])
        server.put(Data("x".utf8), key: "a b+c?é", bucket: "b")
        let service = try S3Client(server, credentials: TurningCredentials([credential])).service
        let request = S3Request("GET", ObjectLocation(bucket: "b", key: "a b+c?é"))
        let url = try await service.presignedURL(of: request, seconds: 60)
        let answer = await Transport().collect(TransferRequest(url: url, host: "127.0.0.1"), limit: 1000)
        #expect(answer.head?.status == 200)
        #expect(answer.body == Data("x".utf8))
        let changed = await Transport().collect(
            TransferRequest(url: url + "0", host: "127.0.0.1"),
            limit: 1000
        )
        #expect(changed.head?.status == 403)
    }
}

/// Credentials that change each time they are asked for.
final class TurningCredentials: CredentialProviding {
    private let all: [AccessKey]
    private let asked = Mutex(0)

    init(_ all: [AccessKey]) {
        self.all = all
    }

    var count: Int { asked.withLock { $0 } }

    func credentials() async throws(CredentialError) -> AWSCredentials? {
        let number = asked.withLock { asked in
            asked += 1
            return asked - 1
        }
        guard !all.isEmpty else { return nil }
        let credential = all[min(number, all.count - 1)]
        return AWSCredentials(
            accessKey: credential.accessKeyID,
            secretKey: credential.secretAccessKey,
            sessionToken: credential.sessionToken
        )
    }
}
