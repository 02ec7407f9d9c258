import Files
import Foundation
import Synchronization

/// A DNS server over UDP on a free port of 127.0.0.1 (RFC 1035), which counts what it is asked for.
final class LoopbackNameServer: Sendable {
    /// The types of questions.
    enum Kind: UInt16 {
        case a = 1
        case aaaa = 28
    }

    enum Answer {
        /// An address of four bytes and the seconds for which it is valid.
        case address([UInt8], timeToLive: UInt32)
        /// An error code: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED; 0 for no record.
        case code(UInt8)
        case silence
    }

    static let here = Answer.address([127, 0, 0, 1], timeToLive: 3600)

    /// The address and the port, as the transport's configuration takes them.
    let address: String
    private let socket: Int32
    private let questions = Mutex<[String: [Kind]]>([:])

    /// Starts a thread that answers as `answer` says for a name; there are no IPv6 addresses.
    init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var here = sockaddr_in()
        here.sin_family = sa_family_t(AF_INET)
        here.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let port = withUnsafeMutablePointer(to: &here) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(socket, address, size) == 0, getsockname(socket, address, &size) == 0 else {
                    return nil
                }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        address = "127.0.0.1:\(port)"
        try SystemThread.start("name server") { [weak self] in
            // Shutting the socket down ends the thread.
            while let (question, client) = Self.receive(socket) {
                guard let self, let reply = reply(to: question, answer) else { continue }
                Self.send(reply, to: client, socket)
            }
            close(socket)
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// The number of questions of a kind for a name.
    func count(_ name: String, _ kind: Kind = .a) -> Int {
        questions.withLock { $0[name, default: []].count { $0 == kind } }
    }

    private func reply(to question: [UInt8], _ answer: (String) -> Answer) -> [UInt8]? {
        var labels: [String] = []
        var position = 12
        while position < question.count, question[position] > 0 {
            let end = position + 1 + Int(question[position])
            labels.append(String(decoding: question[position + 1..<end], as: UTF8.self))
            position = end
        }
        let name = labels.joined(separator: ".")
        let kind = Kind(rawValue: UInt16(question[position + 1]) << 8 | UInt16(question[position + 2]))
        questions.withLock { if let kind { $0[name, default: []].append(kind) } }
        var code: UInt8 = 0
        var record: [UInt8] = []
        switch answer(name) {
        case .silence: return nil
        case .code(let number): code = number
        case .address(let bytes, let time) where kind == .a:
            let seconds = withUnsafeBytes(of: time.bigEndian, Array.init)
            // A pointer to the question's name, type A, class IN.
            record = [0xc0, 0x0c, 0, 1, 0, 1] + seconds + [0, 4] + bytes
        case .address: break
        }
        let head: [UInt8] =
            question[0..<2] + [0x81, 0x80 | code, 0, 1, 0, record.isEmpty ? 0 : 1, 0, 0, 0, 0]
        return head + question[12..<position + 5] + record
    }

    private static func receive(_ socket: Int32) -> ([UInt8], sockaddr_in)? {
        var bytes = [UInt8](repeating: 0, count: 512)
        var client = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &client) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(socket, &bytes, 512, 0, $0, &size)
            }
        }
        return count > 12 ? (Array(bytes.prefix(count)), client) : nil
    }

    private static func send(_ bytes: [UInt8], to client: sockaddr_in, _ socket: Int32) {
        var client = client
        _ = withUnsafePointer(to: &client) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
