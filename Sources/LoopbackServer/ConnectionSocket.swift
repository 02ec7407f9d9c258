import Foundation
import Synchronization

/// The socket of one connection.
///
/// Any thread may shut it down; everything else is for its own thread.
final class ConnectionSocket: Sendable {
    /// The descriptor, -1 once closed, so that it is never shut down after its number is reused.
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

    /// Appends received bytes.
    ///
    /// Returns false at the end of the connection.
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
    /// - Throws: ``SocketError`` if the file is shorter or unreadable, or the client has disconnected.
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

    /// Makes ``close()`` send a reset instead of a regular end.
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
