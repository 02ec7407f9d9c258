import Foundation
import LoopbackServer
import Testing
import Transport

/// The classes of failures, each by a server that fails in that way.
@Suite(.timeLimit(.minutes(10)))
struct TransportErrorTests {
    typealias Body = LoopbackServer.Response.Body

    let transport = Transport()

    @Test(arguments: [
        (Body.truncated(Data(count: 10), declaredLength: 20), TransportError.Reason.truncated),
        (.truncated(Data(), declaredLength: 20), .truncated),
        (.truncatedChunks([Data(count: 10)]), .truncated),
        (.nothing, .empty),
        (.reset, .reset),
        (.resetAfter(Data(count: 10), declaredLength: 20), .reset),
        (.raw(Data("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .protocol),
        (.raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n".utf8)), .truncated),
        (.raw(Data("HTTP/1.1 200 OK\r\nX: y\r\n".utf8)), .truncated),
        (.raw(Data("HTTP/1.1 200 OK".utf8)), .empty),
        (.raw(Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 1\r\n\r\nab".utf8)), .integrity),
        (
            .raw(
                Data(
                    ("HTTP/1.1 200 OK\r\n"
                        + String(repeating: "X: \(String(repeating: "y", count: 999))\r\n", count: 400)).utf8
                )
            ), .protocol
        ),
    ])
    func classifiesBadAnswers(body: Body, reason: TransportError.Reason) async throws {
        let server = try LoopbackServer { _ in .init(body: body) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.error?.reason == reason, "\(outcome)")
        #expect(outcome.ends == 1)
    }

    @Test func takesEqualLengthsAsOne() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab"
        let server = try LoopbackServer { _ in .init(body: .raw(Data(head.utf8))) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("ab".utf8))
    }

    @Test func takesABodyWithoutLengthAsWhole() async throws {
        let server = try LoopbackServer { _ in .init(body: .unframed(Data(count: 10))) }
        let outcome = await transport.run(TransferRequest(server))
        #expect(outcome.error == nil)
        #expect(outcome.body.count == 10)
    }

    @Test(arguments: [(403, TransportError.Reason.refused), (407, .local(errno: EACCES))])
    func tellsAHostThatAProxyForbidsFromAProxyThatForbidsAll(
        status: Int,
        reason: TransportError.Reason
    ) async throws {
        let proxy = try LoopbackServer { _ in .status(status) }
        var configuration = TransportConfiguration()
        configuration.proxy = .url(proxy.address)
        let request = TransferRequest(url: "https://host.invalid/", host: "host.invalid")
        let error = await Transport(configuration: configuration).run(request).error
        #expect(error?.reason == reason && error?.isTransient == true, "\(String(describing: error))")
    }

    @Test func namesAHostThatRefuses() async {
        let error = await transport.run(TransferRequest(url: "http://127.0.0.1:1/", host: "127.0.0.1")).error
        #expect(error?.reason == .refused)
        #expect(error?.isTransient == true)
    }

    @Test func namesAHostWithoutAddress() async {
        // A label of more than 63 characters is refused without asking a name server.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let request = TransferRequest(url: "http://\(host)/", host: host)
        let outcome = await transport.run(request)
        #expect(outcome.error?.reason == .dns)
        #expect(!outcome.metrics.isConnectionReused)
    }

    @Test func fallsNeverBackFromTLS() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let outcome = await transport.run(
            TransferRequest(url: "https://127.0.0.1:\(server.port)/", host: "127.0.0.1")
        )
        #expect(outcome.error?.reason == .tls)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["ftp://127.0.0.1/a", "file:///etc/passwd", "gopher://127.0.0.1/", "nothing", ""])
    func refusesSchemes(url: String) async {
        #expect(await transport.run(TransferRequest(url: url, host: "127.0.0.1")).error?.reason == .scheme)
    }

    @Test(arguments: ["http://a b/", "http://", "http://127.0.0.1:99999/", "http://127.0.0.1/\u{7}"])
    func refusesBadURLs(url: String) async {
        #expect(await transport.run(TransferRequest(url: url, host: "")).error?.reason == .badURL)
    }

    @Test func refusesHeaderInjection() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        for header in [TransferRequest.Header("X", "a\r\nY: b"), .init("X: a\r\nY", "b"), .init("", "b")] {
            var request = TransferRequest(server)
            request.headers = [header]
            #expect(await transport.run(request).error?.reason == .protocol)
        }
        var request = TransferRequest(server)
        request.method = "GET / HTTP/1.1\r\nX: y\r\n\r\n"
        #expect(await transport.run(request).error?.reason == .protocol)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        LoopbackServer.Response.Moment.beforeHead, .insideHead, .beforePiece(0), .beforePiece(1),
    ])
    func timesOutWithoutAByte(moment: LoopbackServer.Response.Moment) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { _ in
            .init(body: .pieces([Data(count: 5), Data(count: 5)])) { if $0 == moment { gate.wait() } }
        }
        var request = TransferRequest(server)
        // By default it is a minute.
        request.idleTimeout = .milliseconds(80)
        let outcome = await transport.run(request)
        #expect(outcome.error?.reason == .timeout)
        #expect(outcome.metrics.total < .seconds(30))
    }

    @Test(
        "a line above libcurl's limit is the server's fault, not this machine's",
        arguments: [
            "HTTP/1.1 200 LONG\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nX: LONG\r\n\r\n",
        ]
    )
    func longLine(head: String) async throws {
        let text = head.replacing("LONG", with: String(repeating: "a", count: 120_000))
        let server = try LoopbackServer { _ in .init(body: .raw(Data(text.utf8))) }
        let error = try #require(await transport.run(TransferRequest(server)).error)
        #expect(error.reason == .protocol)
        #expect(!error.isTransient)
    }

    @Test func timesOutInAll() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(count: 1))) }
        var request = TransferRequest(server)
        request.totalTimeout = .milliseconds(150)
        #expect(await transport.run(request).error?.reason == .timeout)
    }

    @Test(arguments: [
        (Body.data(Data(count: 101)), true), (.data(Data(count: 100)), false),
        (.chunked([Data(count: 60), Data(count: 60)]), true), (.unframed(Data(count: 101)), true),
        (.endless(Data(count: 64)), true), (.chunked([Data(count: 50), Data(count: 50)]), false),
    ])
    func countsBytes(body: Body, isTooLarge: Bool) async throws {
        let server = try LoopbackServer { _ in .init(body: body) }
        var request = TransferRequest(server)
        request.maximumBytes = 100
        let outcome = await transport.run(request)
        #expect(outcome.error?.reason == (isTooLarge ? .tooLarge : nil))
        #expect(outcome.body.count <= 100)
    }

    @Test func showsNoControlCharacters() {
        #expect(TransportError(.reset, "a\u{1b}[2Jb\r\n").message == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}")
    }
}
