import CFiles
import Foundation

/// The standard error of a child process, of which the beginning is kept: what one pipe holds, 64 KiB.
///
/// A child that writes more is not held up, and the rest is lost.
package final class ErrorPipe: StandardStream {
    /// The bytes that a pipe holds (pipe(7)).
    private static let size = 1 << 16

    private let reading: Int32
    package let descriptor: Int32

    /// Opens the pipe.
    /// - Throws: `FileError`.
    package init() throws(FileError) {
        var ends: [Int32] = [-1, -1]
        guard nb_open_pipe(&ends) == 0 else { throw FileError("make", "a pipe to a process", code: errno) }
        (reading, descriptor) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(descriptor)
    }

    /// Takes what has come and was not taken before, without a line that was cut off.
    package func lines() -> [Substring] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        let count = max(read(reading, &bytes, bytes.count), 0)
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        return lines.count > 1 && bytes[count - 1] != UInt8(ascii: "\n") ? lines.dropLast() : lines
    }
}
