import Files
import Foundation
import LoopbackServer
import Testing
import Transport

@Suite(.timeLimit(.minutes(10)))
struct TransportTests {
    let transport = Transport()

    @Test func deliversHeadBodyAndMetrics() async throws {
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try LoopbackServer { _ in .data(body, type: "image/jpeg") }
        let outcome = await transport.run(TransferRequest(server, "/a?b=c"))
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 200)
        #expect(outcome.head?.version == "HTTP/1.1")
        #expect(outcome.head?.value(of: "content-type") == "image/jpeg")
        #expect(outcome.head?.contentLength == body.count)
        #expect(outcome.body == body)
        #expect(outcome.ends == 1)
        #expect(outcome.metrics.bodyBytes == body.count)
        #expect(outcome.metrics.peerAddress == "127.0.0.1")
        #expect(outcome.metrics.peerPort == Int(server.port))
        #expect(outcome.metrics.protocolName == "HTTP/1.1")
        #expect(outcome.metrics.total >= outcome.metrics.firstByte)
        #expect(server.requests.map(\.query) == ["b=c"])
    }

    @Test func usesConnectionsAgain() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        var reused: [Bool] = []
        for _ in 0..<5 {
            reused.append(await transport.run(TransferRequest(server)).metrics.isConnectionReused)
        }
        #expect(reused == [false, true, true, true, true])
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test func runsManyTransfersAtOnce() async throws {
        let server = try LoopbackServer { request in .data(Data(request.path.utf8)) }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let outcome = await transport.run(TransferRequest(server, "/\(number)"))
                    return outcome.error == nil && outcome.body == Data("/\(number)".utf8)
                        && outcome.ends == 1
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(server.requests.count == 500)
    }

    @Test func deliversChunksAsTheyCome() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .init(body: .chunked([Data("first".utf8), Data("second".utf8)])) { moment in
                if moment == .beforePiece(1) { gate.wait() }
            }
        }
        let recorder = TransferRecorder()
        _ = transport.start(TransferRequest(server), delegate: recorder)
        await recorder.wait(forChunks: 1)
        #expect(recorder.outcome.body == Data("first".utf8))
        #expect(recorder.outcome.ends == 0)
        gate.open()
        let outcome = await recorder.end()
        #expect(outcome.body == Data("firstsecond".utf8))
        #expect(outcome.error == nil)
    }

    @Test func sendsMethodHeadersAndBody() async throws {
        let server = try LoopbackServer { request in .data(request.body) }
        var request = TransferRequest(server)
        request.method = "POST"
        request.body = Payload(Data("payload".utf8))
        request.headers = [.init("X-One", "1"), .init("X-Empty", "")]
        #expect(await transport.run(request).body == Data("payload".utf8))
        request.method = "PUT"
        request.body = Payload(Data())
        #expect(await transport.run(request).error == nil)
        request.method = "HEAD"
        request.body = nil
        let head = await transport.run(request)
        #expect(head.error == nil)
        #expect(head.chunks.isEmpty)
        #expect(await transport.run(TransferRequest(server)).error == nil)
        #expect(server.requests.map(\.method) == ["POST", "PUT", "HEAD", "GET"])
        #expect(server.requests[0].headers["x-one"] == "1")
        #expect(server.requests[0].headers["x-empty"] == "")
        #expect(server.requests[0].headers["content-type"] == nil)
        #expect(server.requests[0].headers["accept-encoding"] == nil)
        #expect(server.requests[3].headers["x-one"] == nil)
    }

    @Test func cancelsFromAnyThread() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data("a".utf8), Data("b".utf8)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let recorder = TransferRecorder()
        let transfer = transport.start(TransferRequest(server), delegate: recorder)
        await recorder.wait(forChunks: 1)
        transfer.cancel()
        transfer.cancel()
        let outcome = await recorder.end()
        #expect(outcome.error?.reason == .cancelled)
        #expect(outcome.ends == 1)
        #expect(!outcome.isLate)
    }

    @Test func endsAllTransfersWithItsLastReference() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in .init { _ in gate.wait() } }
        let recorder = TransferRecorder()
        var transport: Transport? = Transport()
        _ = transport?.start(TransferRequest(server), delegate: recorder)
        _ = await server.requests(atLeast: 1)
        transport = nil
        #expect(await recorder.end().error?.reason == .cancelled)
    }

    @Test func discardsShortBodiesAndKeepsTheirConnection() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        for _ in 0..<2 {
            let outcome = await transport.run(TransferRequest(server), handling: .discard)
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 404)
            #expect(outcome.chunks.isEmpty)
        }
        #expect(Set(server.requests.map(\.connection)).count == 1)
    }

    @Test func cutsLongBodiesThatNobodyWants() async throws {
        let server = try LoopbackServer { _ in .init(status: 404, body: .endless(Data(count: 4096))) }
        let outcome = await transport.run(TransferRequest(server), handling: .discard)
        #expect(outcome.error == nil)
        #expect(outcome.chunks.isEmpty)
        _ = await server.abandoned(atLeast: 1)
    }

    @Test func readsOddHeads() async throws {
        let raw = """
            HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
            HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nX-Latin: \u{e9}\r\nx-twice: 1\r\nX-Twice: 2\r\n\
            Transfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\nX-Trailer: t\r\n\r\n
            """
        let server = try LoopbackServer { _ in .init(body: .raw(Data(raw.utf8))) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("z".utf8))
        #expect(outcome.head?.value(of: "x-folded") == "one two")
        #expect(outcome.head?.value(of: "x-latin") == "\u{e9}")
        #expect(outcome.head?.value(of: "Link") == nil)
        #expect(outcome.head?.value(of: "X-Trailer") == nil)
        #expect(
            outcome.head?.headers.filter { $0.name.lowercased() == "x-twice" }.map(\.value) == ["1", "2"]
        )
    }
}
