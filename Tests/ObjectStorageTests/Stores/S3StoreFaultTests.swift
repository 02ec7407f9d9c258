import Files
import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import ObjectStorage

/// A bucket whose server, network or clock goes wrong.
@Suite(.timeLimit(.minutes(10))) struct S3StoreFaultTests {
    typealias Fault = LoopbackObjectStore.Fault

    private let placed: PlacedStore
    private let server: LoopbackObjectStore
    private var store: any Store { placed.store }

    init() async throws {
        placed = try await PlacedStore(.pathStyle)
        server = try #require(placed.server)
    }

    /// Lets the first `count` operations of a kind go wrong.
    private func fail(_ kind: LoopbackObjectStore.Operation.Kind, first count: Int = 1, with fault: Fault) {
        server.fault = { $0.kind == kind && $0.number <= count ? fault : nil }
    }

    @Test(arguments: [
        Fault.slowDown, .slowDown(retryAfter: 0), .internalError, .resetBefore, .resetAfter,
        .resetInsideResponse,
        .conflict, .resetInsideRequest(afterBytes: 3), .delayed(0.01),
    ])
    func putsUntilItIsAnswered(fault: Fault) async throws {
        fail(.putObject, first: 3, with: fault)
        try await store.put(Data("bytes".utf8), at: "key")
        server.fault = { _ in nil }
        #expect(try await store.get("key", limit: 1 << 30) == Data("bytes".utf8))
    }

    @Test func winsThoughTheAnswerWasLost() async throws {
        fail(.putObject, with: .resetAfter)
        #expect(try await store.putIfAbsent(Data("mine".utf8), at: "commit"))
        #expect(server.count(of: .putObject) == 2)
        #expect(try await store.putIfAbsent(Data("late".utf8), at: "commit") == false)
    }

    @Test func losesToAnotherWithOtherBytes() async throws {
        let name = "below/a prefix/commit"
        server.put(Data("mime".utf8), key: name, bucket: "store")
        #expect(try await store.putIfAbsent(Data("mine".utf8), at: "commit") == false)
    }

    @Test func findsOutThatTheConditionIsIgnored() async throws {
        let bucket = try #require(store as? S3Store)
        #expect(try await bucket.honoursConditions(below: "job/"))
        server.fault = { _ in .ignoredCondition }
        #expect(try await bucket.honoursConditions(below: "job/") == false)
        #expect(try await store.list("", after: nil).entries.isEmpty)
    }

    @Test(arguments: [Fault.flippedByte, .wrongChecksum])
    func refusesDamagedBytes(fault: Fault) async throws {
        try await store.put(Data("whole".utf8), at: "key")
        server.fault = { $0.kind == .getObject ? fault : nil }
        await #expect { try await store.get("key", limit: 1 << 30) } throws: {
            ($0 as? StoreError)?.reason == .damaged
        }
    }

    @Test func getsAgainWhatWasTorn() async throws {
        try await store.put(Data("whole".utf8), at: "key")
        fail(.getObject, first: 2, with: .truncatedBody)
        #expect(try await store.get("key", limit: 1 << 30) == Data("whole".utf8))
    }

    @Test func givesUpAfterSomeAttempts() async throws {
        server.fault = { _ in .internalError }
        await #expect { try await store.put(Data(), at: "key") } throws: { error in
            (error as? StoreError)?.reason == .unavailable && "\(error)".contains("InternalError")
                && "\(error)".contains("s3://store/below/a prefix/key")
        }
        #expect(server.count(of: .putObject) == 6)
    }

    @Test(arguments: [LoopbackObjectStore.Operation.Kind.putObject, .headObject, .listObjects])
    func followsTheServicesClock(kind: LoopbackObjectStore.Operation.Kind) async throws {
        server.clockOffset = 7200
        switch kind {
        case .putObject: try await store.put(Data("x".utf8), at: "key")
        case .headObject: #expect(try await store.head("key") == nil)
        default: #expect(try await store.list("", after: nil).entries.isEmpty)
        }
        // The second request knows the time.
        #expect(server.count(of: kind) == 2)
        #expect(try await store.head("other") == nil)
        #expect(server.count(of: .headObject) == (kind == .headObject ? 3 : 1))
    }

    @Test func completesAnUploadWhoseAnswerWasLost() async throws {
        let client = try S3Client(server)
        let location = ObjectLocation(bucket: "store", key: "parts")
        server.minimumPartSize = 1
        let upload = try await S3Upload.begin(client, at: location)
        let parts = [
            try await upload.put(Payload(Data("one ".utf8)), asPart: 1),
            try await upload.put(Payload(Data("two".utf8)), asPart: 2),
        ]
        fail(.completeMultipartUpload, with: .resetAfter)
        #expect(try await upload.complete(parts).size == 7)
        #expect(server.object("parts", in: "store")?.data == Data("one two".utf8))
    }

    @Test func seesTheErrorInsideASuccess() async throws {
        let client = try S3Client(server)
        server.minimumPartSize = 1
        let upload = try await S3Upload.begin(client, at: ObjectLocation(bucket: "store", key: "parts"))
        let part = try await upload.put(Payload(Data("one".utf8)), asPart: 1)
        fail(.completeMultipartUpload, with: .errorInsideSuccess(code: "InternalError"))
        try await upload.complete([part])
        #expect(server.count(of: .completeMultipartUpload) == 2)
        #expect(server.object("parts", in: "store")?.data == Data("one".utf8))
    }

    @Test func leavesNoPartsBehindWhatFailed() async throws {
        server.fault = { $0.kind == .uploadPart ? .error(status: 403, code: "AccessDenied") : nil }
        let bytes = Data(repeating: 1, count: S3Store.partSize + 1)
        await #expect { try await store.put(bytes, at: "large") } throws: {
            ($0 as? StoreError)?.reason == .refused
        }
        #expect(server.count(of: .createMultipartUpload) == 1)
        #expect(server.uploads.isEmpty)
    }

    @Test func stopsWithItsTask() async throws {
        let gate = Gate()
        server.fault = { _ in .held(gate) }
        let task = Task { [store] in try await store.get("key", limit: 1 << 30) }
        _ = await server.server.requests(atLeast: 1)
        task.cancel()
        await #expect { try await task.value } throws: { ($0 as? StoreError)?.reason == .cancelled }
        gate.open()
    }
}
