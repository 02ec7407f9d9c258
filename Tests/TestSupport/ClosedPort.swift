import Foundation

/// A port of 127.0.0.1 at which nobody listens, kept from everybody else until its last reference goes.
///
/// A server that asks for this very port gets it all the same: both sockets allow it (`SO_REUSEADDR`), and this one never
/// listens.
public final class ClosedPort: Sendable {
    /// The port.
    public let number: UInt16
    private let descriptor: Int32

    /// Takes any port that is free.
    public init() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0, "no port is free")
                getsockname(descriptor, $0, &length)
            }
        }
        self.descriptor = descriptor
        number = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(descriptor)
    }

    /// The address of a server there, as `http://127.0.0.1:40123`.
    public var address: String { "http://127.0.0.1:\(number)" }
}
