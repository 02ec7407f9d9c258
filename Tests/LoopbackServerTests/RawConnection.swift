import Foundation

/// One HTTP/1.1 connection to loopback that sends exactly the given bytes.
final class RawConnection {
    /// A response, and the way in which the connection ended.
    struct Answer {
        var status = 0
        var headers: [String: String] = [:]
        var body = Data()
        /// True if the connection was reset before the whole response.
        var isReset = false
        /// True if the connection ended before the whole response.
        var isCut = false

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The text of the first element `name`.
        func element(_ name: String) -> String? {
            elements(name).first
        }

        /// The texts of all elements `name`.
        func elements(_ name: String) -> [String] {
            text.components(separatedBy: "<\(name)>").dropFirst().compactMap {
                $0.components(separatedBy: "</\(name)>").first
            }
        }
    }

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request and reads its response; `HEAD` has no body.
    func send(_ request: Data, isHead: Bool = false) -> Answer {
        var answer = Answer()
        // A server that resets the connection may do so while the body is being sent.
        _ = request.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var received = Data()
        let end = Data("\r\n\r\n".utf8)
        while received.range(of: end) == nil {
            guard receive(into: &received, noting: &answer) else { return answer }
        }
        guard let head = received.range(of: end) else { return answer }
        var lines = String(decoding: received[..<head.lowerBound], as: UTF8.self).components(
            separatedBy: "\r\n"
        )
        answer.status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = isHead ? 0 : answer.headers["content-length"].flatMap { Int($0) } ?? 0
        var body = Data(received[head.upperBound...])
        while body.count < length, receive(into: &body, noting: &answer) {}
        answer.body = body
        return answer
    }

    /// Returns false at the end of the connection, which it notes in `answer`.
    private func receive(into data: inout Data, noting answer: inout Answer) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else {
            answer.isReset = count < 0 && errno == ECONNRESET
            answer.isCut = true
            return false
        }
        data.append(contentsOf: buffer.prefix(count))
        return true
    }
}
