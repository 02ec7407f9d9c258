import Foundation
import JobManifest
import JobPlanning
import Synchronization

/// Standard output and standard error, written whole and without buffering, so that nothing is lost or interleaved.
///
/// A closed pipe (EPIPE, with SIGPIPE ignored) is no error: further output is dropped.
enum Output {
    /// Writes a result and a line end to standard output.
    static func result(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Writes bytes to standard output.
    static func result(_ data: Data) {
        write(Array(data)[...], to: STDOUT_FILENO)
    }

    /// Writes a message for people to standard error, in place of the line that `show` left.
    static func message(_ text: String) {
        isLineShown.withLock { isShown in
            write((isShown ? clear : "") + text + "\n", to: STDERR_FILENO)
            isShown = false
        }
    }

    /// Shows a line on the terminal of standard error until the next one; an empty line clears it.
    static func show(_ line: String) {
        isLineShown.withLock { isShown in
            write(clear + line, to: STDERR_FILENO)
            isShown = !line.isEmpty
        }
    }

    private static let isLineShown = Mutex(false)
    /// Moves to the start of the line and erases it (ECMA-48).
    private static let clear = "\r\u{1B}[2K"

    /// Returns `text` with control characters as `\u{…}`, so that foreign text cannot control the terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    /// Returns `text` as `printable` does, but keeps line ends.
    static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }

    /// A buffer for standard output that is written 64 kB at a time, for millions of lines.
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

    /// Writes a result to a file, which appears whole or not at all.
    /// - Throws: `RunError.machine` if the file cannot be written.
    static func write(_ data: Data, toFile path: String) throws(RunError) {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .machine("cannot write \(path): \(error.localizedDescription)")
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
