import Files
import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import ObjectStorage

/// A proxy, a login page or a broken service that answers in the place of an object store: no answer is believed that does not
/// say, in the documented way, that the request was done.
@Suite(.timeLimit(.minutes(10))) struct LyingStoreTests {
    typealias Response = LoopbackServer.Response

    /// An answer that is none of an object store, though its status may be that of a success.
    struct Lie: Sendable, CustomStringConvertible {
        let description: String
        let response: Response
        /// The operations that this is the documented answer to, or that cannot be told from it.
        var documentedFor: Set<Operation> = []

        init(
            _ name: String,
            _ status: Int,
            _ headers: [(String, String)] = [],
            _ body: String = "",
            documentedFor: Set<Operation> = []
        ) {
            description = name
            response = Response(
                status: status,
                headers: headers.map { (name: $0.0, value: $0.1) },
                body: .data(Data(body.utf8))
            )
            self.documentedFor = documentedFor
        }

        static let login = "<html><body>Please log in</body></html>"
        static let all: [Lie] = [
            Lie("a login page", 200, [("Content-Type", "text/html")], login, documentedFor: [.get]),
            Lie(
                "a login page with an entity tag",
                200,
                [("Content-Type", "text/html"), ("ETag", "\"5f3a-264\"")],
                login,
                documentedFor: [.get, .head]
            ),
            Lie("nothing at all", 200, documentedFor: [.get, .delete, .abort]),
            Lie("an empty entity tag", 200, [("ETag", "")], documentedFor: [.get, .delete, .abort]),
            Lie("201 with an entity tag", 201, [("ETag", "\"a\"")]),
            Lie("202", 202),
            Lie("203 of a proxy", 203, [("ETag", "\"a\"")]),
            Lie("204", 204, documentedFor: [.delete, .abort]),
            Lie("204 with an entity tag", 204, [("ETag", "\"a\"")], documentedFor: [.delete, .abort]),
            Lie("206", 206, [("ETag", "\"a\"")]),
            Lie("a redirect to a login page", 302, [("Location", "http://login.example/")], login),
            Lie("JSON", 200, [("Content-Type", "application/json")], "{\"ok\":true}", documentedFor: [.get]),
            Lie("a text", 200, [("ETag", "\"a\"")], "OK", documentedFor: [.get, .head]),
            Lie("another document", 200, [], "<Result><ETag>\"a\"</ETag></Result>", documentedFor: [.get]),
            Lie(
                "a torn document",
                200,
                [],
                "<?xml version=\"1.0\"?><CompleteMultipartUploadResult><ETag>\"a\"</ETag>",
                documentedFor: [.get]
            ),
            Lie(
                "a document without an entity tag",
                200,
                [],
                "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>",
                documentedFor: [.get]
            ),
            Lie(
                "an upload without an identifier",
                200,
                [],
                "<InitiateMultipartUploadResult><UploadId/></InitiateMultipartUploadResult>",
                documentedFor: [.get]
            ),
            Lie("an error behind a comment", 200, [], "<!-- x --><Error><Code>AccessDenied</Code></Error>"),
            Lie(
                "an error in a namespace",
                200,
                [("ETag", "\"a\"")],
                "<?xml version=\"1.0\"?>\n<s:Error xmlns:s=\"urn:s\"><s:Code>AccessDenied</s:Code></s:Error>",
                documentedFor: [.head]
            ),
            Lie(
                "an error behind an instruction",
                200,
                [],
                " <?a b?><?c d?><Error><Code>AccessDenied</Code></Error>"
            ),
        ]
    }

    /// A request to a store.
    enum Operation: String, CaseIterable, Sendable {
        case put, putIfAbsent, get, head, delete, list, begin, part, complete, abort, uploads
    }

    private static func client(_ server: LoopbackServer) throws -> S3Client {
        var configuration = try S3Configuration(endpoint: server.address)
        configuration.isAnonymous = true
        let service = S3Service(configuration, credentials: CredentialChain(environment: [:], region: nil))
        var patience = S3Client.Patience()
        patience.firstDelay = .milliseconds(1)
        return S3Client(service, patience: patience)
    }

    private static func perform(_ operation: Operation, _ client: S3Client) async throws {
        let store = S3Store(client, at: ObjectLocation(bucket: "b", key: "p"))
        let upload = S3Upload(client, ObjectLocation(bucket: "b", key: "k"), identifier: "u")
        let data = Data("what was sent".utf8)
        switch operation {
        case .put: try await store.put(data, at: "k")
        case .putIfAbsent:
            guard try await store.putIfAbsent(data, at: "k") else { throw StoreError(.refused, "not ours") }
        case .get: _ = try await store.get("k", limit: 1 << 20)
        case .head: _ = try await store.head("k")
        case .delete: try await store.delete("k")
        case .list: _ = try await store.list("", after: nil)
        case .begin: _ = try await S3Upload.begin(client, at: ObjectLocation(bucket: "b", key: "k"))
        case .part: _ = try await upload.put(Payload(data), asPart: 1)
        case .complete:
            try await upload.complete([S3Upload.Part(number: 1, etag: "\"a\"", sha256: nil, size: 13)])
        case .abort: try await upload.abort()
        case .uploads: _ = try await store.uploads()
        }
    }

    @Test("an answer that says nothing is no success", arguments: Operation.allCases)
    func lies(operation: Operation) async throws {
        let lie = Mutex(Lie.all[0].response)
        let server = try LoopbackServer { _ in lie.withLock { $0 } }
        let client = try Self.client(server)
        var (told, believed) = (0, [String]())
        for each in Lie.all where !each.documentedFor.contains(operation) {
            lie.withLock { $0 = each.response }
            told += 1
            do {
                try await Self.perform(operation, client)
                believed.append(each.description)
            } catch let error as StoreError {
                #expect("\(error)".contains("s3://b/") || "\(error)".contains("p/k"), "\(each): \(error)")
            }
        }
        print("\(operation): \(told) lies, \(believed.count) believed")
        #expect(believed.isEmpty && told >= 4)
    }

    @Test("a store that tells by HEAD what its answer to PUT leaves out is believed, after one request")
    func confirmed() async throws {
        let objects = Mutex<[String: Data]>([:])
        let puts = Mutex(0)
        let server = try LoopbackServer { request in
            switch request.method {
            case "PUT":
                puts.withLock { $0 += 1 }
                objects.withLock { $0[request.path] = request.body }
                return Response(status: 201)
            case "DELETE":
                objects.withLock { $0[request.path] = nil }
                return Response(status: 202)
            default:
                guard let data = objects.withLock({ $0[request.path] }) else { return .status(404) }
                let etag = "\"\(Digest.md5.hex(of: data))\""
                return Response(headers: [("ETag", etag)], body: .data(data))
            }
        }
        let client = try Self.client(server)
        try await Self.perform(.put, client)
        #expect(puts.withLock { $0 } == 1)
        try await Self.perform(.putIfAbsent, client)
        #expect(puts.withLock { $0 } == 2)
        try await Self.perform(.delete, client)
        let left = objects.withLock { $0.count }
        #expect(left == 0)
    }

    @Test("an answer without an end is read up to its limit", arguments: [200, 403, 500])
    func endless(status: Int) async throws {
        let server = try LoopbackServer { _ in
            Response(status: status, body: .endless(Data(repeating: 0x20, count: 1 << 16)))
        }
        let client = try Self.client(server)
        for operation in [Operation.get, .put, .list, .complete] where status != 500 || operation == .get {
            await #expect(throws: StoreError.self) { try await Self.perform(operation, client) }
        }
    }

    @Test("a piece without an end is read up to the limit of a whole object", arguments: [200, 206])
    func endlessPiece(status: Int) async throws {
        let server = try LoopbackServer { _ in
            Response(status: status, body: .endless(Data(repeating: 0x20, count: 1 << 20)))
        }
        let facts = ObjectFacts(size: 1 << 30, etag: "\"a\"")
        let location = ObjectLocation(bucket: "b", key: "list.csv")
        let reader = ObjectReader(try Self.client(server), location, listed: facts)
        await #expect { try await reader.piece(at: 0) } throws: { error in
            "\(error)".contains("the answer has more than \(S3Client.wholeLimit) bytes")
        }
    }

    @Test("a store that does not go on behind a key is not listed for ever")
    func pages() async throws {
        @Sendable func page(_ keys: [String]) -> Response {
            let contents = keys.map { "<Contents><Key>p/\($0)</Key><Size>1</Size></Contents>" }.joined()
            let text = "<ListBucketResult><IsTruncated>true</IsTruncated>\(contents)</ListBucketResult>"
            return Response(body: .data(Data(text.utf8)))
        }
        let answers = [page(["a", "b"]), page([]), page(["b"]), page(["../x"])]
        for answer in answers {
            let requests = Mutex(0)
            let server = try LoopbackServer { _ in
                requests.withLock { $0 += 1 }
                return answer
            }
            let store = S3Store(try Self.client(server), at: ObjectLocation(bucket: "b", key: "p"))
            var last: String?
            await #expect(throws: StoreError.self) {
                repeat { last = try await store.list("", after: last).next } while last != nil
            }
            #expect(requests.withLock { $0 } <= 3)
        }
        // The control: pages that go on are listed to the end.
        let server = try LoopbackServer { request in
            request.query.contains("start-after=p%2Fb")
                ? Response(body: .data(Data("<ListBucketResult></ListBucketResult>".utf8)))
                : page(["a", "b"])
        }
        let store = S3Store(try Self.client(server), at: ObjectLocation(bucket: "b", key: "p"))
        let first = try await store.list("", after: nil)
        #expect(first.next == "b" && first.entries.map(\.key) == ["a", "b"])
        #expect(try await store.list("", after: "b").entries.isEmpty)
    }

    @Test("nobody waits longer than there is patience, whatever the store asks for")
    func retryAfter() async throws {
        let server = try LoopbackServer { _ in .status(503, headers: [("Retry-After", "3600")]) }
        var configuration = try S3Configuration(endpoint: server.address)
        configuration.isAnonymous = true
        let service = S3Service(configuration, credentials: CredentialChain(environment: [:], region: nil))
        var patience = S3Client.Patience()
        (patience.firstDelay, patience.total) = (.milliseconds(1), .milliseconds(300))
        let pacing = WaitingPacing()
        let client = S3Client(service, pacing: pacing, patience: patience)
        await #expect(throws: StoreError.self) { try await Self.perform(.list, client) }
        let waits = pacing.waits.withLock { $0 }
        #expect(!waits.isEmpty && waits.allSatisfy { $0 <= .milliseconds(300) }, "\(waits)")
    }

    /// Writes down for how long it was asked to wait.
    private final class WaitingPacing: RequestPacing {
        let waits = Mutex<[Duration]>([])

        func begin(_ bucket: String) async throws -> any PacedRequest { Request(pacing: self) }

        struct Request: PacedRequest {
            let pacing: WaitingPacing

            func end(isSlowedDown: Bool, retryAfter: Duration?) {
                if let retryAfter { pacing.waits.withLock { $0.append(retryAfter) } }
            }
        }
    }

    @Test(
        "an endpoint is no address at which a cloud serves credentials",
        arguments: [
            "http://169.254.169.254", "http://169.254.170.2", "http://168.63.129.16", "http://[fe80::1]",
            "http://[fd00:ec2::254]", "http://0xa9fea9fe", "http://[64:ff9b::a9fe:a9fe]",
            "http://[::ffff:169.254.169.254]",
        ]
    )
    func endpoints(address: String) async throws {
        var configuration = try S3Configuration(endpoint: address)
        configuration.isAnonymous = true
        let service = S3Service(configuration, credentials: CredentialChain(environment: [:], region: nil))
        let client = S3Client(service)
        await #expect { try await Self.perform(.list, client) } throws: { error in
            (error as? StoreError)?.reason == .refused
        }
    }
}
