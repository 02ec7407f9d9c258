import Files
import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.timeLimit(.minutes(10))) struct TransferLifeTests {
    let transport = Transport()

    /// As a machine that is suspended stops it, but not while it waits for events.
    @Test("a standstill of the event thread takes no time from other transfers")
    func standstill() async throws {
        let (answer, standstill) = (Gate(), Gate())
        let server = try LoopbackServer { request in
            if request.path == "/late" { answer.wait() }
            return .data(Data([1]))
        }
        var request = TransferRequest(server, "/late")
        request.idleTimeout = .seconds(5)
        let late = TransferRecorder()
        _ = transport.start(request, delegate: late)
        try await eventually { server.requests.count == 1 }
        let stopping = TransferRecorder(onHead: { standstill.wait() })
        _ = transport.start(TransferRequest(server), delegate: stopping)
        _ = try await Program(path: "/bin/sleep", ["7"], in: "/").wait()
        standstill.open()
        // By then the event thread has looked whose time has passed.
        #expect(await stopping.end().error == nil)
        #expect(await transport.run(TransferRequest(server)).error == nil)
        answer.open()
        #expect(await late.end().error == nil)
    }

    @Test("a redirect is delivered, not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/elsewhere", status: status) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == status)
        #expect(outcome.head?.value(of: "Location") == "/elsewhere")
        #expect(server.requests.count == 1)
    }

    @Test("the times of a transfer are in their order, and its bytes are counted")
    func metrics() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 1000)) }
        var request = TransferRequest(server, "/path")
        request.headers = [.init("X-One", "1")]
        let metrics = await transport.run(request).metrics
        let times = [
            metrics.nameLookup, metrics.connect, metrics.firstByte, metrics.total,
        ]
        #expect(times == times.sorted())
        #expect(metrics.connect > .zero)
        #expect(metrics.tls == .zero)
        #expect(metrics.bodyBytes == 1000)
        #expect(metrics.headBytes > "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8.count)
        #expect(metrics.requestBytes >= "GET /path HTTP/1.1\r\nX-One: 1\r\n\r\n".utf8.count)
        #expect(!metrics.isConnectionReused)
        let again = await transport.run(request).metrics
        #expect(again.isConnectionReused)
        #expect(again.peerPort == Int(server.port))
        #expect(TransferMetrics().peerAddress.isEmpty)
    }

    @Test("a request that is refused reaches nobody and costs nothing")
    func refusedMetrics() async {
        let outcome = await transport.run(TransferRequest(url: "nothing", host: ""))
        #expect(outcome.ends == 1)
        #expect(outcome.metrics.total == .zero)
        #expect(outcome.metrics.peerPort == 0)
        #expect(!outcome.metrics.isConnectionReused)
    }

    @Test("the version of the protocol is the server's")
    func oldProtocol() async throws {
        let raw = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab"
        let server = try LoopbackServer { _ in .init(body: .raw(Data(raw.utf8))) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.head?.version == "HTTP/1.0")
        #expect(outcome.metrics.protocolName == "HTTP/1.0")
        #expect(outcome.body == Data("ab".utf8))
    }

    @Test(
        "a body that nobody wants is read up to 64 KiB for its connection, and cut beyond",
        arguments: [(65_536, true), (65_537, false)]
    )
    func discardLimit(count: Int, isKept: Bool) async throws {
        for body in [
            LoopbackServer.Response.Body.data(Data(count: count)), .chunked([Data(count: count)]),
        ] {
            let server = try LoopbackServer { _ in .init(status: 404, body: body) }
            for _ in 0..<2 {
                let outcome = await transport.run(TransferRequest(server), handling: .discard)
                #expect(outcome.error == nil)
                #expect(outcome.head?.status == 404)
                #expect(outcome.chunks.isEmpty)
            }
            #expect((Set(server.requests.map(\.connection)).count == 1) == isKept)
        }
    }

    @Test("a body that nobody wants is cut after a second")
    func discardTime() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(status: 404, body: .pieces([Data(count: 1), Data(count: 1)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let start = ContinuousClock.now
        let outcome = await transport.run(TransferRequest(server), handling: .discard)
        #expect(outcome.error == nil)
        #expect(outcome.head?.status == 404)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test("a cancelled transfer is an error, also if nobody wanted its body")
    func cancelDiscarded() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(status: 404, body: .pieces([Data(count: 1), Data(count: 1)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        // It is cancelled on the event thread, which would end it without an error a second after the head.
        let started = Gate()
        let running = Mutex<Transfer?>(nil)
        let recorder = TransferRecorder(handling: .discard) {
            started.wait()
            running.withLock { $0 }?.cancel()
        }
        running.withLock { $0 = transport.start(TransferRequest(server), delegate: recorder) }
        started.open()
        #expect(await recorder.end().error?.reason == .cancelled)
    }

    @Test("a transfer that has ended is not cancelled, and one that has not begun is")
    func cancelEdges() async throws {
        let server = try LoopbackServer { _ in .data(Data("x".utf8)) }
        let recorder = TransferRecorder()
        let transfer = transport.start(TransferRequest(server), delegate: recorder)
        _ = await recorder.end()
        transfer.cancel()
        #expect(await transport.run(TransferRequest(server)).error == nil)
        #expect(recorder.outcome.error == nil)
        #expect(recorder.outcome.ends == 1)
        #expect(!recorder.outcome.isLate)
        let gate = Gate()
        defer { gate.open() }
        let held = try LoopbackServer { _ in .init { _ in gate.wait() } }
        let other = TransferRecorder()
        transport.start(TransferRequest(held), delegate: other).cancel()
        #expect(await other.end().error?.reason == .cancelled)
    }

    @Test("a stall is told once, and the transfer may still end well")
    func stall() async throws {
        let gate = Gate()
        var configuration = TransportConfiguration()
        configuration.stallTime = .milliseconds(40)
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data("a".utf8), Data("b".utf8)])) {
                if $0 == .beforePiece(1) { gate.wait() }
            }
        }
        let recorder = TransferRecorder()
        let transport = Transport(configuration: configuration)
        let start = ContinuousClock.now
        _ = transport.start(TransferRequest(server), delegate: recorder)
        try await recorder.waitForStall()
        #expect(ContinuousClock.now - start >= .milliseconds(40))
        #expect(recorder.outcome.ends == 0)
        gate.open()
        let outcome = await recorder.end()
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("ab".utf8))
        #expect(outcome.stalls == 1)
    }

    @Test("a server that never answers stalls, and then runs into the time limit")
    func stallThenTimeout() async throws {
        let gate = Gate()
        defer { gate.open() }
        var configuration = TransportConfiguration()
        configuration.stallTime = .milliseconds(40)
        let server = try LoopbackServer { _ in .init { _ in gate.wait() } }
        var request = TransferRequest(server)
        request.idleTimeout = .milliseconds(300)
        let outcome = await Transport(configuration: configuration).run(request)
        #expect(outcome.stalls == 1)
        #expect(outcome.error?.reason == .timeout)
        #expect(outcome.error?.message == "no byte received for 0.3 seconds")
    }

    @Test("the limit of a body does not count for HEAD, nor for a body that nobody wants")
    func limits() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 500)) }
        var request = TransferRequest(server)
        request.maximumBytes = 100
        request.method = "HEAD"
        let head = await transport.run(request)
        #expect(head.error == nil)
        #expect(head.head?.contentLength == 500)
        request.method = "GET"
        #expect(await transport.run(request, handling: .discard).error == nil)
        let error = await transport.run(request).error
        #expect(error?.reason == .tooLarge)
        #expect(error?.message == "the body has 500 bytes, but at most 100 are allowed")
    }

    @Test("a body has the type that the request gives it, and no other")
    func contentType() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        var request = TransferRequest(server)
        request.method = "POST"
        request.body = Payload(Data("x".utf8))
        for headers in [[TransferRequest.Header("CONTENT-TYPE", "text/plain")], []] {
            request.headers = headers
            _ = await transport.run(request)
        }
        #expect(server.requests.map { $0.headers["content-type"] } == ["text/plain", nil])
    }

    @Test("a large body goes out whole")
    func largeUpload() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 253) })
        let server = try LoopbackServer { request in .data(request.body) }
        var request = TransferRequest(server)
        request.method = "PUT"
        request.body = Payload(body)
        let outcome = await transport.run(request)
        #expect(outcome.error == nil)
        #expect(outcome.body == body)
    }

    @Test("a file goes out as its bytes would, also again and from a part of it")
    func fileUpload() async throws {
        let folder = try TemporaryFolder()
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 253) })
        try body.write(to: URL(fileURLWithPath: folder.path("body")))
        let server = try LoopbackServer { request in .data(request.body) }
        let payload = try Payload(file: folder.path("body"))
        for (range, method) in [(0..<3_000_000, "PUT"), (70_000..<2_100_000, "POST"), (9..<9, "PUT")] {
            var request = TransferRequest(server)
            request.method = method
            request.body = payload[range]
            let outcome = await transport.run(request)
            #expect(outcome.error == nil)
            #expect(outcome.body == body[range])
            // A body in memory over the same connection, and none.
            request.body = Payload(Data("memory".utf8))
            #expect(await transport.run(request).body == Data("memory".utf8))
            #expect(await transport.run(TransferRequest(server)).body.isEmpty)
        }
        #expect(server.requests.prefix(1).map { $0.headers["content-length"] } == ["3000000"])
    }

    @Test("a file that has become shorter ends its upload, and the error names it")
    func shorterFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("body")
        try Data(repeating: 1, count: 3_000_000).write(to: URL(fileURLWithPath: path))
        let server = try LoopbackServer { request in .data(request.body) }
        var request = TransferRequest(server)
        request.method = "PUT"
        request.body = try Payload(file: path)
        #expect(truncate(path, 1000) == 0)
        let error = await transport.run(request).error
        #expect(error?.reason == .local(errno: EIO))
        #expect(error?.message.contains("cannot read \(path)") == true)
    }

    @Test("a proxy is asked for the whole URL, and its own address is checked")
    func proxy() async throws {
        let server = try LoopbackServer { request in .data(Data(request.path.utf8)) }
        var configuration = TransportConfiguration()
        configuration.proxy = .url(server.address)
        let request = TransferRequest(url: "http://nuke.invalid/a", host: "nuke.invalid")
        let outcome = await Transport(configuration: configuration).run(request)
        #expect(outcome.body == Data("http://nuke.invalid/a".utf8))
        configuration.addressPolicy = .publicOnly
        let refused = await Transport(configuration: configuration).run(request)
        #expect(refused.error?.reason == .address)
        // The proxy is to blame, and not the host of the URL.
        let message = refused.error?.message ?? ""
        #expect(message.hasPrefix("127.0.0.1 is not") && !message.contains("nuke.invalid"), "\(message)")
        configuration.addressPolicy = try AddressPolicy(allow: ["nuke.invalid"])
        #expect(await Transport(configuration: configuration).run(request).error?.reason == .address)
        configuration.addressPolicy = try AddressPolicy(allow: ["127.0.0.1"])
        #expect(await Transport(configuration: configuration).run(request).error == nil)
        #expect(server.requests.count == 2)
    }

    @Test("chunks are delivered in pieces of at most 64 KiB, which stay what they were")
    func chunkSizes() async throws {
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 249 ^ $0) })
        let server = try LoopbackServer { _ in .data(body) }
        let outcomes = [
            await transport.run(TransferRequest(server)), await transport.run(TransferRequest(server)),
        ]
        for outcome in outcomes {
            #expect(outcome.body == body)
            #expect(outcome.chunks.allSatisfy { !$0.isEmpty && $0.count <= 65_536 })
        }
    }

    @Test("an idle connection that is closed by its server is replaced")
    func closedWhileIdle() async throws {
        let raw = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"
        let server = try LoopbackServer { _ in .init(body: .raw(Data(raw.utf8))) }
        for _ in 0..<3 {
            var outcome = await transport.run(TransferRequest(server))
            // Sent while the server closed the connection: the caller sends it again, as `CurlLoad` does.
            if outcome.error?.isConnectionStale == true {
                outcome = await transport.run(TransferRequest(server))
            }
            #expect(outcome.body == Data("ab".utf8))
        }
        #expect(Set(server.requests.map(\.connection)).count == 3)
    }

    @Test("only so many idle connections are kept")
    func idleConnections() async throws {
        var configuration = TransportConfiguration()
        configuration.idleConnections = 1
        let transport = Transport(configuration: configuration)
        let servers = try (0..<2).map { _ in try LoopbackServer { _ in .data(Data("x".utf8)) } }
        for _ in 0..<2 {
            for server in servers { #expect(await transport.run(TransferRequest(server)).error == nil) }
        }
        // Without the limit each server would have one. Of two equally old connections libcurl closes either.
        let connections = servers.map { Set($0.requests.map(\.connection)).count }
        #expect(connections.reduce(0, +) > 2, "\(connections)")
    }
}
