import CFiles
package import Foundation
import Synchronization

/// This process's end of a connection to a child process, whose other end is a standard stream of the child.
///
/// Use it on one thread.
package final class ProcessConnection: Sendable {
    /// The child's end.
    private final class ChildEnd: StandardStream {
        let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }

    private let descriptor: Int32
    /// The child's end until the child has it.
    private let child: Mutex<ChildEnd?>

    private let silence: Duration
    private let isStopped: @Sendable () -> Bool

    /// Opens a connection to a child that must take or send a byte within `silence`; `isStopped` is asked while it does not.
    /// - Throws: `FileError`.
    package init(silence: Duration, isStopped: @escaping @Sendable () -> Bool = { false }) throws(FileError) {
        (self.silence, self.isStopped) = (silence, isStopped)
        var ends: [Int32] = [-1, -1]
        guard nb_open_connection(&ends) == 0 else {
            throw FileError("make", "a connection to a process", code: errno)
        }
        descriptor = ends[0]
        child = Mutex(ChildEnd(ends[1]))
    }

    deinit {
        close(descriptor)
    }

    /// Returns the end that the child gets; release it when the child has started, so that the child's end is the last one.
    ///
    /// Call it once.
    package func takeChildEnd() throws(FileError) -> any StandardStream {
        let end = child.withLock { $0.take() }
        guard let end else { throw FileError("use", "a connection to a process", code: EBADF) }
        return end
    }

    /// Fills the beginning of `buffer`, and returns the number of bytes; 0 when the child has closed its end.
    /// - Throws: `FileError`; with the code `ETIMEDOUT` if nothing comes, and `ECANCELED` when stopped.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var silence = Silence(silence, isStopped: isStopped)
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count >= 0 { return count }
            switch errno {
            // A child that ends with unread input resets the connection.
            case ECONNRESET: return 0
            case EAGAIN: _ = try silence.wait(for: POLLIN, of: descriptor)
            case EINTR: continue
            default: throw FileError("read from", "a process", code: errno)
            }
        }
    }

    /// Sends all of `data`, and waits while the child reads nothing.
    /// - Throws: `FileError`; with the code `EPIPE` if the child has ended, `ETIMEDOUT` if it reads nothing, and `ECANCELED` when
    ///   stopped.
    package func send(_ data: Data) throws(FileError) {
        var silence = Silence(silence, isStopped: isStopped)
        var done = 0
        while done < data.count {
            let start = done
            let count = data.withUnsafeBytes { bytes in
                Foundation.send(
                    descriptor,
                    bytes.baseAddress.map { $0 + start },
                    bytes.count - start,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
                )
            }
            if count >= 0 {
                done += count
                silence.end()
                continue
            }
            switch errno {
            case EAGAIN: _ = try silence.wait(for: POLLOUT, of: descriptor)
            case EINTR: continue
            default: throw FileError("send to", "a process", code: errno)
            }
        }
    }

    /// Signals the child that no more input follows.
    package func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }
}
