public import Foundation

/// A minimal FTP server on 127.0.0.1 (RFC 959, RFC 2428) that serves one file to any login.
public final class FTPServer: Sendable {
    /// The port that the server listens on.
    public let port: UInt16
    private let listener: Int32

    /// Starts listening.
    ///
    /// Every path except `missing` is a file with these bytes; `opening` announces them (RFC 959, section 5.4: 125 or 150).
    public init(file: Data, opening: String = "150 coming") {
        let (listener, port) = Self.listen()
        (self.listener, self.port) = (listener, port)
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { Self.serve(client, file, opening) }
            }
            // By the thread that uses it: once closed, the number may be another's.
            close(listener)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func listen() -> (Int32, UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0 && Foundation.listen(descriptor, 16) == 0)
                getsockname(descriptor, $0, &length)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func serve(_ client: Int32, _ file: Data, _ opening: String) {
        defer { close(client) }
        var data: Int32 = -1
        func say(_ line: String) {
            send(client, line + "\r\n", line.utf8.count + 2, Int32(MSG_NOSIGNAL))
        }
        say("220 ready")
        while let line = readLine(client) {
            let word = line.prefix { $0 != " " }.uppercased()
            switch word {
            case "USER": say("331 password")
            case "PASS": say("230 in")
            case "PWD": say("257 \"/\"")
            case "CWD", "TYPE": say("200 fine")
            case "SIZE": say(line.contains("missing") ? "550 no such file" : "213 \(file.count)")
            case "EPSV":
                let (descriptor, port) = listen()
                data = descriptor
                say("229 here (|||\(port)|)")
            case "RETR" where line.contains("missing"): say("550 no such file")
            case "RETR":
                say(opening)
                let peer = accept(data, nil, nil)
                _ = file.withUnsafeBytes {
                    send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                close(peer)
                close(data)
                say("226 sent")
            case "QUIT": return say("221 bye")
            default: say("502 unknown")
            }
        }
    }

    private static func readLine(_ client: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while recv(client, &byte, 1, 0) == 1 {
            if byte == 10 { return String(decoding: bytes.filter { $0 != 13 }, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
