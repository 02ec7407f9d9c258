import Foundation

/// Serves the requests of one connection, one after another, on the thread that calls ``serve()``.
struct Connection {
    /// The most bytes in a head; more is refused with 431.
    private static let headLimit = 64 * 1024

    let number: Int
    let socket: ConnectionSocket
    let state: ServerState

    typealias Received = (LoopbackServer.Request, LoopbackServer.Handler, keepsConnection: Bool)

    func serve() {
        var input = Data()
        while let (request, handler, keepsConnection) = readRequest(&input) {
            state.record(request)
            let response = handler(request)
            do {
                let isWhole = try ResponseWriter(socket: socket).send(
                    response,
                    isHead: request.method == "HEAD",
                    keepsConnection: keepsConnection
                )
                guard isWhole, keepsConnection else { break }
            } catch {
                state.recordAbandoned(request)
                break
            }
        }
        state.forget(number)
        socket.close()
    }

    private func readRequest(_ input: inout Data) -> Received? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = input.range(of: end) {
                let bytes = input[..<range.lowerBound]
                input = Data(input[range.upperBound...])
                guard let head = RequestHead(bytes) else { return refuse(400) }
                return readBody(of: head, &input)
            }
            // A TLS handshake, for example, is answered at once, because its head would never end.
            if let first = input.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
                return refuse(400)
            }
            guard input.count <= Self.headLimit else { return refuse(431) }
            guard socket.receive(into: &input) else { return nil }
        }
    }

    private func readBody(of head: RequestHead, _ input: inout Data) -> Received? {
        let arrival = ContinuousClock.now
        guard let length = head.bodyLength else { return refuse(411) }
        guard length <= state.bodyLimit else { return refuse(413) }
        let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = LoopbackServer.Request(
            method: head.method,
            path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : "",
            headers: head.headers,
            body: Data(),
            arrival: arrival,
            connection: number
        )
        let reception = state.receive(request)
        if case .response(let response) = reception { return (request, { _ in response }, false) }
        if head.headers["expect"]?.lowercased() == "100-continue" {
            try? socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        guard case .body(let handler) = reception else {
            if case .reset(let count) = reception { read(min(count, length), into: &input) }
            socket.resetOnClose()
            return nil
        }
        guard read(length, into: &input) else { return nil }
        request.body = Data(input.prefix(length))
        input = Data(input.dropFirst(length))
        return (request, handler, head.keepsConnection)
    }

    /// Reads until there are `count` bytes in `input`.
    ///
    /// Returns false if the connection ends before.
    @discardableResult
    private func read(_ count: Int, into input: inout Data) -> Bool {
        while input.count < count {
            guard socket.receive(into: &input) else { return false }
        }
        return true
    }

    /// Answers with `status` instead of receiving a request.
    private func refuse(_ status: Int) -> Received? {
        _ = try? ResponseWriter(socket: socket).send(.status(status), isHead: false, keepsConnection: false)
        return nil
    }
}
