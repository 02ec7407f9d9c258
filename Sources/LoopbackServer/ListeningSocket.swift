import Foundation
import Synchronization

/// A socket that accepts connections on 127.0.0.1.
final class ListeningSocket: Sendable {
    /// The ports that the system has chosen for servers of this process.
    private static let chosen = Mutex<Set<UInt16>>([])

    let port: UInt16
    private let descriptor: Int32

    /// Listens at `port`, or at any that is free and was not given to an earlier server of this process: what is still on
    /// its way to that one, or kept under its URLs, meets no other.
    init(port: UInt16) throws {
        var passedOver: [Int32] = []
        defer { for descriptor in passedOver { Glibc.close(descriptor) } }
        var (descriptor, bound) = try Self.listen(port)
        while port == 0, passedOver.count < 100, !Self.chosen.withLock({ $0.insert(bound).inserted }) {
            passedOver.append(descriptor)
            (descriptor, bound) = try Self.listen(0)
        }
        (self.descriptor, self.port) = (descriptor, bound)
    }

    private static func listen(_ port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, Glibc.listen(descriptor, 1024) == 0 else {
            let error = SocketError("bind to 127.0.0.1:\(port)")
            Glibc.close(descriptor)
            throw error
        }
        var bound = sockaddr_in()
        var boundSize = size
        withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &boundSize)
            }
        }
        return (descriptor, UInt16(bigEndian: bound.sin_port))
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Waits for the next connection.
    ///
    /// Returns nil after ``stop()``.
    func accept() -> ConnectionSocket? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return ConnectionSocket(descriptor: connection)
            }
            // The client disconnected before it was accepted, or descriptors ran out for a moment: wait for the next.
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
            default: return nil
            }
        }
    }

    /// Makes ``accept()`` return nil, also in another thread.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
