import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    private let store: LoopbackObjectStore
    private let client: StoreClient
    private static let body = "0123456789"

    init() throws {
        store = try LoopbackObjectStore(.init("photos"))
        client = StoreClient(store)
        store.put(Data(Self.body.utf8), key: "key", bucket: "photos")
    }

    private func get(_ fault: LoopbackObjectStore.Fault) throws -> StoreClient.Answer {
        store.fault = { _ in fault }
        return try client.send("GET", "/photos/key", headers: ["x-amz-checksum-mode": "ENABLED"])
    }

    private func put(_ fault: LoopbackObjectStore.Fault, body: Data = Data("new".utf8)) throws
        -> StoreClient.Answer
    {
        store.fault = { _ in fault }
        return try client.send("PUT", "/photos/new", body: body)
    }

    @Test func answersWithErrors() throws {
        let slow = try get(.slowDown(retryAfter: 3))
        #expect(slow.status == 503)
        #expect(slow.element("Code") == "SlowDown")
        #expect(slow.headers["retry-after"] == "3")
        #expect(try get(.slowDown).headers["retry-after"] == nil)
        #expect(try put(.internalError).status == 500)
        #expect(try put(.conflict).element("Code") == "ConditionalRequestConflict")
        #expect(try put(.preconditionFailed).status == 412)
        let inside = try put(.errorInsideSuccess(code: "InternalError"))
        #expect(inside.status == 200)
        #expect(inside.element("Code") == "InternalError")
        #expect(store.objects(in: "photos") == ["key"])
    }

    @Test func resetsBeforeTheEffect() throws {
        let answer = try put(.resetBefore)
        #expect(answer.isReset)
        #expect(answer.status == 0)
        #expect(store.objects(in: "photos") == ["key"])
        #expect(store.count(of: .putObject) == 1)
    }

    @Test func resetsInsideTheRequest() throws {
        let answer = try put(.resetInsideRequest(afterBytes: 100_000), body: Data(count: 8_000_000))
        #expect(answer.isCut)
        #expect(answer.status == 0)
        #expect(store.objects(in: "photos") == ["key"])
        #expect(store.requests.isEmpty)
        #expect(store.operations.map(\.kind) == [.putObject])
    }

    @Test func resetsAfterTheEffect() throws {
        let answer = try put(.resetAfter)
        #expect(answer.isReset)
        #expect(answer.status == 0)
        #expect(store.object("new", in: "photos")?.data == Data("new".utf8))
    }

    @Test func tearsBodies() throws {
        let cut = try get(.truncatedBody)
        #expect(cut.isCut && !cut.isReset)
        #expect(cut.text == "01234")
        #expect(cut.headers["content-length"] == "10")
        #expect(try get(.resetInsideResponse).isCut)
    }

    @Test func liesAboutBytesOrChecksums() throws {
        let right = try get(.delayed(0))
        let sum = try #require(right.headers["x-amz-checksum-crc64nvme"])
        let flipped = try get(.flippedByte)
        #expect(flipped.headers["x-amz-checksum-crc64nvme"] == sum)
        #expect(zip(flipped.body, right.body).filter { $0 != $1 }.count == 1)
        let wrong = try get(.wrongChecksum)
        #expect(wrong.text == Self.body)
        #expect(wrong.headers["x-amz-checksum-crc64nvme"] != sum)
        #expect(wrong.headers["x-amz-checksum-crc64nvme"] != nil)
    }

    @Test func ignoresTheCondition() throws {
        store.fault = { _ in .ignoredCondition }
        let answer = try client.send(
            "PUT",
            "/photos/key",
            headers: ["if-none-match": "*"],
            body: Data("new".utf8)
        )
        #expect(answer.status == 200)
        #expect(store.object("key", in: "photos")?.data == Data("new".utf8))
    }

    @Test func hasAClockOfItsOwn() throws {
        #expect(try get(.clockSkew(3600)).element("Code") == "RequestTimeTooSkewed")
        #expect(try get(.clockSkew(60)).status == 200)
    }

    @Test func holdsAnOperationUntilTheGateOpens() async throws {
        let gate = Gate()
        store.fault = { _ in .held(gate, then: .slowDown) }
        let client = client
        let (answers, answer) = AsyncStream<Int>.makeStream()
        // A thread of its own, because the request blocks.
        Thread.detachNewThread {
            answer.yield((try? client.send("GET", "/photos/key").status) ?? 0)
            answer.finish()
        }
        _ = await store.server.requests(atLeast: 1)
        gate.open()
        #expect(await answers.first { _ in true } == 503)
    }

    /// A fault never hides that a request was signed wrong.
    @Test func verifiesTheSignatureFirst() throws {
        store.fault = { _ in .slowDown }
        var client = client
        client.credential.secretAccessKey = "other"
        #expect(try client.send("GET", "/photos/key").element("Code") == "SignatureDoesNotMatch")
    }

    /// The client waits for 100, so the body is never sent, nor its digest verified.
    @Test func refusesABodyBeforeItIsSent() throws {
        store.fault = { $0.kind == .putObject ? .slowDown : nil }
        let fields = ["host": client.host, "expect": "100-continue", "content-length": "8000000"]
        let answer = try client.send("PUT", "/photos/new", fields: fields)
        #expect(answer.status == 503)
        #expect(answer.headers["connection"] == "close")
        store.fault = { _ in nil }
        let invited = try client.send(
            "PUT",
            "/photos/new",
            headers: ["expect": "100-continue"],
            body: Data("new".utf8)
        )
        #expect(invited.status == 100)
    }

    @Test func tellsItsClock() throws {
        store.clockOffset = 600
        let answer = try client.send("GET", "/photos/none")
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        let date = try #require(answer.headers["date"].flatMap(format.date))
        #expect(abs(date.timeIntervalSinceNow - 600) < 60)
    }

    @Test func numbersTheOperationsOfEachKind() throws {
        store.fault = { $0.kind == .getObject && $0.number == 2 ? .slowDown : nil }
        #expect(try client.send("HEAD", "/photos/key").status == 200)
        let statuses = try (0..<3).map { _ in try client.send("GET", "/photos/key").status }
        #expect(statuses == [200, 503, 200])
        #expect(store.count(of: .getObject) == 3)
        #expect(store.count(of: .headObject) == 1)
    }

    @Test func choosesAtRandomBySeed() throws {
        for _ in 0..<300 { _ = try client.send("HEAD", "/photos/none") }
        func chosen(_ seed: UInt64) -> [Bool] { store.operations.map { $0.random(seed: seed) < 0.2 } }
        #expect(chosen(1) == chosen(1))
        #expect(chosen(1) != chosen(2))
        // 60 expected, with a standard deviation of 7.
        #expect((25...95).contains(chosen(1).filter { $0 }.count))
    }
}
