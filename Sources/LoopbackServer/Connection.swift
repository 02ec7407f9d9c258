import Foundation

/// Serves the requests of one connection, one after another, on the thread that calls ``serve()``.
struct Connection {
    /// The most bytes in a head; more is refused with 431.
    private static let headLimit = 64 * 1024
    /// The most bytes in a request body; more is refused with 413.
    private static let bodyLimit = 64 * 1024 * 1024

    let number: Int
    let socket: ConnectionSocket
    let state: ServerState

    func serve() {
        var input = Data()
        while let (request, keepsConnection) = readRequest(&input) {
            state.record(request)
            let response = state.handler(request)
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

    private func readRequest(_ input: inout Data) -> (LoopbackServer.Request, keepsConnection: Bool)? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = input.range(of: end) {
                let bytes = input[..<range.lowerBound]
                input = Data(input[range.upperBound...])
                guard let head = RequestHead(bytes) else {
                    refuse(400)
                    return nil
                }
                return readBody(of: head, &input)
            }
            // A TLS handshake, for example, is answered at once, because its head would never end.
            if let first = input.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
                refuse(400)
                return nil
            }
            guard input.count <= Self.headLimit else {
                refuse(431)
                return nil
            }
            guard socket.receive(into: &input) else { return nil }
        }
    }

    private func readBody(of head: RequestHead, _ input: inout Data) -> (LoopbackServer.Request, Bool)? {
        let arrival = ContinuousClock.now
        guard let length = head.bodyLength else {
            refuse(411)
            return nil
        }
        guard length <= Self.bodyLimit else {
            refuse(413)
            return nil
        }
        if head.headers["expect"]?.lowercased() == "100-continue" {
            try? socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while input.count < length {
            guard socket.receive(into: &input) else { return nil }
        }
        let body = Data(input.prefix(length))
        input = Data(input.dropFirst(length))
        let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = LoopbackServer.Request(
            method: head.method,
            path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : "",
            headers: head.headers,
            body: body,
            arrival: arrival,
            connection: number
        )
        return (request, head.keepsConnection)
    }

    private func refuse(_ status: Int) {
        _ = try? ResponseWriter(socket: socket).send(.status(status), isHead: false, keepsConnection: false)
    }
}
