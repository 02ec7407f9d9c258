import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import ObjectStorage

/// Objects that are read piece by piece from services that answer with other bytes than were asked for.
@Suite(.timeLimit(.minutes(10))) struct ObjectReaderTests {
    typealias Response = LoopbackServer.Response

    private static let size = ObjectReader.pieceSize + 10

    private static let location = ObjectLocation(bucket: "b", key: "list.csv")

    /// A service that ignores `If-Match`; `answer` may change the answer to each request for a piece, by its number from 0.
    private static func client(
        head: Response.Body? = nil,
        _ answer: @escaping @Sendable (Int, inout Response) -> Void = { _, _ in }
    ) throws -> (client: S3Client, server: LoopbackServer) {
        let pieces = Mutex(0)
        let server = try LoopbackServer { request in
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) })
            guard let range = request.headers["range"]?.dropFirst("bytes=".count) else {
                return Response(headers: [("ETag", "\"a\"")], body: head ?? .data(data))
            }
            let ends = range.split(separator: "-").compactMap { Int($0) }
            var response = Response(
                status: 206,
                headers: [("ETag", "\"a\""), ("Content-Range", "bytes \(range)/\(size)")],
                body: .data(data[ends[0]...ends[1]])
            )
            let number = pieces.withLock { count in
                defer { count += 1 }
                return count
            }
            answer(number, &response)
            return response
        }
        var configuration = try S3Configuration(endpoint: server.address)
        configuration.isAnonymous = true
        let service = S3Service(configuration, credentials: CredentialChain(environment: [:], region: nil))
        var patience = S3Client.Patience()
        patience.firstDelay = .milliseconds(1)
        return (S3Client(service, patience: patience), server)
    }

    private static func read(_ client: S3Client) async throws -> Data {
        let reader = try await ObjectReader(client, location)
        var data = Data()
        while data.count < reader.facts.size { data += try await reader.piece(at: data.count) }
        return data
    }

    @Test("the control: an honest service's object is read whole")
    func whole() async throws {
        let (client, server) = try Self.client()
        #expect(
            try await Self.read(client) == Data((0..<Self.size).map { UInt8(truncatingIfNeeded: $0 / 7) })
        )
        withExtendedLifetime(server) {}
    }

    @Test("an object whose size the answer to HEAD leaves out is not taken for an empty one")
    func sizeless() async throws {
        let (client, server) = try Self.client(head: .chunked([]))
        await #expect {
            try await Self.read(client)
        } throws: { error in
            (error as? StoreError)?.reason == .unavailable && "\(error)".contains("s3://b/list.csv")
        }
        let store = S3Store(client, at: ObjectLocation(bucket: "b", key: ""))
        await #expect(throws: StoreError.self) { try await store.head("list.csv") }
        withExtendedLifetime(server) {}
    }

    @Test("a piece that begins elsewhere is not taken")
    func otherRange() async throws {
        let (client, server) = try Self.client { _, response in
            response.headers[1].value = "bytes 7-9/\(Self.size)"
        }
        await #expect(throws: StoreError.self) { try await Self.read(client) }
        let store = S3Store(client, at: ObjectLocation(bucket: "b", key: ""))
        await #expect(throws: StoreError.self) { try await store.get("list.csv", from: 70, count: 3) }
        #expect(try await store.get("list.csv", from: 7, count: 3) == Data([1, 1, 1]))
        withExtendedLifetime(server) {}
    }

    @Test("an object that is replaced between two pieces is not put together of both")
    func replaced() async throws {
        let (client, server) = try Self.client { number, response in
            if number > 0 { response.headers[0].value = "\"b\"" }
        }
        await #expect {
            try await Self.read(client)
        } throws: { error in
            (error as? StoreError)?.reason == .damaged && "\(error)".contains("was changed while it was read")
        }
        withExtendedLifetime(server) {}
    }
}
