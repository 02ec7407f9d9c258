import Foundation
import Synchronization

/// A call of the socket interface that failed.
public struct SocketError: Error, CustomStringConvertible, Sendable {
    /// What failed and why, as `bind to 127.0.0.1:8099: Address already in use`.
    public let description: String

    init(_ call: String) {
        description = "\(call): \(String(cString: strerror(errno)))"
    }
}

/// A socket that accepts connections on 127.0.0.1.
final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init(port: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        self.descriptor = descriptor
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
        guard isBound, listen(descriptor, 1024) == 0 else {
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
        self.port = UInt16(bigEndian: bound.sin_port)
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Waits for the next connection; nil once ``stop()`` was called.
    func accept() -> ConnectionSocket? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return ConnectionSocket(descriptor: connection)
            }
            // The client went before it was accepted, or descriptors are short for a moment: wait for the next.
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
            default: return nil
            }
        }
    }

    /// Makes ``accept()`` return nil, in another thread too.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// The socket of one connection; it may be shut down from any thread, the rest is for its own thread.
final class ConnectionSocket: Sendable {
    /// The descriptor, -1 once it is closed: so it is never shut down after its number went to another file.
    private let descriptor: Mutex<Int32>
    private let number: Int32

    init(descriptor: Int32) {
        number = descriptor
        self.descriptor = Mutex(descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close()
    }

    /// Appends what has come; false at the end of the connection.
    func receive(into data: inout Data) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            while true {
                let count = recv(number, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    data.append(contentsOf: buffer.prefix(count))
                    return true
                }
                guard count < 0, errno == EINTR else { return false }
            }
        }
    }

    func send(_ data: Data) throws {
        try data.withUnsafeBytes { try send($0) }
    }

    /// Sends `count` bytes of a file.
    /// - Throws: ``SocketError`` if the file is shorter, cannot be read, or the client has gone.
    func send(file path: String, offset: Int, count: Int) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SocketError("open \(path)") }
        defer { Glibc.close(file) }
        try withUnsafeTemporaryAllocation(byteCount: 128 * 1024, alignment: 16) { buffer in
            var sent = 0
            while sent < count {
                let read = pread(
                    file,
                    buffer.baseAddress,
                    min(buffer.count, count - sent),
                    off_t(offset + sent)
                )
                guard read > 0 else { throw SocketError("read \(path)") }
                try send(UnsafeRawBufferPointer(rebasing: buffer.prefix(read)))
                sent += read
            }
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.send(number, start, rest.count, Int32(MSG_NOSIGNAL))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw SocketError("send") }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Lets ``close()`` send a reset instead of an orderly end.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    func shutDown() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }
}
