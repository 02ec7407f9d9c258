import Foundation

/// Sends a response over a socket, correctly or incorrectly as its body says (RFC 9112, sections 4 to 7).
struct ResponseWriter {
    typealias Response = LoopbackServer.Response

    let socket: ConnectionSocket

    /// Sends `response`.
    /// - Returns: True if it was sent completely, so that the connection can be kept.
    /// - Throws: ``SocketError`` if the client has disconnected.
    func send(_ response: Response, isHead: Bool, keepsConnection: Bool) throws -> Bool {
        response.hold?(.beforeHead)
        switch response.body {
        case .raw(let bytes):
            try socket.send(bytes)
            return false
        case .nothing: return false
        case .reset:
            socket.resetOnClose()
            return false
        default: break
        }
        let framing = framing(of: response)
        let keepsConnection = keepsConnection && framing.keepsConnection
        try sendHead(of: response, framing: framing.field, keepsConnection: keepsConnection)
        guard !isHead, response.status != 304, response.status != 204 else { return keepsConnection }
        try sendBody(of: response)
        return keepsConnection
    }

    private func framing(of response: Response) -> (field: String?, keepsConnection: Bool) {
        switch response.body {
        case .data(let data):
            (response.status == 304 || response.status == 204 ? nil : "Content-Length: \(data.count)", true)
        case .pieces(let pieces): ("Content-Length: \(pieces.reduce(0) { $0 + $1.count })", true)
        case .file(_, _, let count): ("Content-Length: \(count)", true)
        case .chunked: ("Transfer-Encoding: chunked", true)
        case .truncatedChunks: ("Transfer-Encoding: chunked", false)
        case .truncated(_, let length), .resetAfter(_, let length): ("Content-Length: \(length)", false)
        case .unframed, .endless, .raw, .nothing, .reset: (nil, false)
        }
    }

    private func sendHead(of response: Response, framing: String?, keepsConnection: Bool) throws {
        let status = "HTTP/1.1 \(response.status) \(Response.reasonPhrase(of: response.status))\r\n"
        var fields = response.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        if let framing { fields += framing + "\r\n" }
        fields += keepsConnection ? "\r\n" : "Connection: close\r\n\r\n"
        guard let hold = response.hold else {
            try socket.send(Data((status + fields).utf8))
            return
        }
        try socket.send(Data(status.utf8))
        hold(.insideHead)
        try socket.send(Data(fields.utf8))
    }

    private func sendBody(of response: Response) throws {
        switch response.body {
        case .data(let data), .truncated(let data, _), .unframed(let data):
            response.hold?(.beforePiece(0))
            try socket.send(data)
        case .resetAfter(let data, _):
            response.hold?(.beforePiece(0))
            try socket.send(data)
            response.hold?(.beforePiece(1))
            socket.resetOnClose()
        case .pieces(let pieces):
            for (number, piece) in pieces.enumerated() {
                response.hold?(.beforePiece(number))
                try socket.send(piece)
            }
        case .chunked(let chunks):
            try sendChunks(chunks, of: response)
            try socket.send(Data("0\r\n\r\n".utf8))
        case .truncatedChunks(let chunks): try sendChunks(chunks, of: response)
        case .file(let path, let offset, let count): try socket.send(file: path, offset: offset, count: count)
        case .endless(let data):
            precondition(!data.isEmpty, "an endless body must repeat at least one byte")
            while true {
                try socket.send(data)
                usleep(200)
            }
        case .raw, .nothing, .reset: break
        }
    }

    private func sendChunks(_ chunks: [Data], of response: Response) throws {
        for (number, chunk) in chunks.enumerated() where !chunk.isEmpty {
            response.hold?(.beforePiece(number))
            try socket.send(Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8))
        }
    }
}
