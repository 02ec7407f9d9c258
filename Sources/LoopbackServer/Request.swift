public import Foundation

extension LoopbackServer {
    /// A received request.
    public struct Request: Sendable {
        /// The method, such as `GET`.
        public let method: String
        /// The path as sent, percent-encoded, without the query.
        ///
        /// For a proxy request, the whole URL.
        public let path: String
        /// The part after the first question mark, percent-encoded; empty if there is none.
        public let query: String
        /// The header fields.
        ///
        /// Names are in lower case, and values of equal names are joined with a comma and a space.
        public let headers: [String: String]
        /// The body; empty if there is none.
        public internal(set) var body: Data
        /// The time at which its head was complete.
        public let arrival: ContinuousClock.Instant
        /// The number of its connection, from 1.
        ///
        /// Requests with equal numbers shared a connection.
        public let connection: Int

        var withoutBody: Request {
            var request = self
            request.body = Data()
            return request
        }
    }
}

/// The head of a request: the request line and header fields (RFC 9112, sections 3 and 5).
struct RequestHead {
    let method: String
    let target: String
    let isHTTP11: Bool
    let headers: [String: String]

    /// Parses the bytes before the empty line.
    ///
    /// Nil if they are not the head of an HTTP/1 request.
    init?(_ bytes: some Collection<UInt8>) {
        var lines = Self.lines(Array(bytes))
        let first = lines.removeFirst().split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        // Proxies receive the absolute form, and with CONNECT a host and a port (RFC 9112, sections 3.2.2 and 3.2.3).
        guard first.count == 3, !first[0].isEmpty, first[2].hasPrefix("HTTP/1."),
            first[1].hasPrefix("/") || first[1].hasPrefix("http://") || first[0] == "CONNECT"
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else {
                return nil
            }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = Self.trimmed(line[(colon + 1)...])
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
        }
        method = first[0]
        target = first[1]
        isHTTP11 = first[2] != "HTTP/1.0"
        self.headers = headers
    }

    /// The parts between CRLFs.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for end in bytes.indices.dropFirst() where bytes[end] == 10 && bytes[end - 1] == 13 && end > start {
            lines.append(bytes[start..<(end - 1)])
            start = end + 1
        }
        lines.append(bytes[start...])
        return lines
    }

    /// The value without the spaces and tabs around it.
    private static func trimmed(_ value: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = value.firstIndex { !isSpace($0) } ?? value.endIndex
        let end = value.lastIndex { !isSpace($0) } ?? start
        return String(decoding: start < value.endIndex ? value[start...end] : [], as: UTF8.self)
    }

    /// True if the client wants to keep the connection for another request (RFC 9112, section 9.3).
    var keepsConnection: Bool {
        let options = headers["connection"]?.lowercased() ?? ""
        return isHTTP11 ? !options.contains("close") : options.contains("keep-alive")
    }

    /// The declared length of the body: 0 if there is none, nil if it cannot be determined.
    var bodyLength: Int? {
        guard headers["transfer-encoding"] == nil else { return nil }
        guard let text = headers["content-length"] else { return 0 }
        guard let length = Int(text), length >= 0 else { return nil }
        return length
    }
}
