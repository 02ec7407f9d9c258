import Foundation
import Synchronization

/// Standard output and standard error, written whole and without buffering, so that nothing is lost or interleaved.
///
/// A reader that has gone away (EPIPE, with SIGPIPE ignored) is no error: what is left to say is dropped.
enum Output {
    /// Results.
    static func result(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Results that are bytes.
    static func result(_ data: Data) {
        write(Array(data)[...], to: STDOUT_FILENO)
    }

    /// Messages, for people; a line that `show` left is written over, and comes again with the next `show`.
    static func message(_ text: String) {
        isLineShown.withLock { isShown in
            write((isShown ? clear : "") + text + "\n", to: STDERR_FILENO)
            isShown = false
        }
    }

    /// A line on the terminal of standard error that stays until the next one; an empty one clears it.
    static func show(_ line: String) {
        isLineShown.withLock { isShown in
            write(clear + line, to: STDERR_FILENO)
            isShown = !line.isEmpty
        }
    }

    private static let isLineShown = Mutex(false)
    /// To the line's start, and all of it erased (ECMA-48).
    private static let clear = "\r\u{1B}[2K"

    /// `text` with control characters shown as `\u{…}`, so that foreign text cannot steer the terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    /// As `printable`, but line ends stay.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }

    /// Text for standard output that goes out 64 kB at a time, where there may be millions of lines.
    struct Buffer {
        private var text = ""

        mutating func add(_ more: String) {
            text += more
            if text.utf8.count >= 65_536 { flush() }
        }

        mutating func flush() {
            Output.write(text, to: STDOUT_FILENO)
            text = ""
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .control || category == .format
    }

    fileprivate static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8)[...], to: descriptor)
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        var bytes = bytes
        while !bytes.isEmpty {
            // The buffer is valid for the call and its own count is passed.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
