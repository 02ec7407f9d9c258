import Files
import Foundation
import JobPlanning
import Synchronization

/// Standard output and standard error, written whole and without buffering, so that nothing is lost or interleaved.
///
/// A closed pipe (EPIPE, with SIGPIPE ignored) is no error: further output is dropped. After any other failure to write
/// a result, further results are dropped too, and `failure` is set: the process exits with 4.
enum Output {
    /// True if results go to a terminal, which must not get control characters.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a result and a line end to standard output.
    static func result(_ text: String) {
        send(text + "\n")
    }

    /// Writes bytes to standard output.
    static func result(_ data: Data) {
        ending.withLock { ending in
            guard ending == nil else { return }
            do throws(FileError) {
                try ResultFile.send(data, to: STDOUT_FILENO, path: "standard output")
            } catch {
                ending = error
            }
        }
    }

    private static func send(_ text: String) {
        result(Data((isTerminal ? printableLines(text) : text).utf8))
    }

    /// The failure after which results were dropped; nil without one, and if the reader closed the pipe.
    static var failure: RunError? {
        ending.withLock { ending in
            ending.flatMap { $0.code == EPIPE ? nil : .machine("\($0); the results are incomplete") }
        }
    }

    /// True if no result was dropped.
    static var isWhole: Bool { ending.withLock { $0 == nil } }

    /// The error of the first result that could not be written.
    private static let ending = Mutex<FileError?>(nil)

    /// Writes a message for people to standard error, in place of the line that `show` left.
    static func message(_ text: String) {
        isLineShown.withLock { isShown in
            write((isShown ? clear : "") + printableLines(text) + "\n", to: STDERR_FILENO)
            isShown = false
        }
    }

    /// Writes a warning, one line whatever is in it.
    static func warn(_ warning: String) {
        message("warning: \(printable(warning))")
    }

    /// Writes a question to standard error, without a line end.
    static func ask(_ question: String) {
        write(printable(question), to: STDERR_FILENO)
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
        escape(isControl, in: text)
    }

    /// Returns `text` as `printable` does, but keeps line ends.
    static func printableLines(_ text: String) -> String {
        escape({ $0 != "\n" && isControl($0) }, in: text.replacing("\r\n", with: "\n"))
    }

    private static func escape(_ isEscaped: (Unicode.Scalar) -> Bool, in text: String) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.map { scalar in
            isEscaped(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    /// A buffer for standard output that is written 64 kB at a time, for millions of lines.
    struct Buffer {
        private var text = ""

        mutating func add(_ more: String) {
            text += more
            if text.utf8.count >= 65_536 { flush() }
        }

        mutating func flush() {
            Output.send(text)
            text = ""
        }
    }

    /// Writes a result to a file, which appears whole or not at all; `-` is standard output.
    /// - Throws: `RunError.machine` if the file cannot be written.
    static func write(_ data: Data, toFile path: String) throws(RunError) {
        if path == "-" || path == "/dev/stdout" {
            // What is no text would be damaged by escaping; `cache get` refuses to write it to a terminal.
            guard isTerminal, let text = String(validating: data, as: UTF8.self) else { return result(data) }
            return result(Data(printableLines(text).utf8))
        }
        do {
            try ResultFile.write(data, to: path)
        } catch {
            // As on standard output, a reader may close its pipe early.
            if error.code != EPIPE { throw .machine(error.description) }
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .control || category == .format
    }

    private static func write(_ text: String, to descriptor: Int32) {
        try? ResultFile.send(Data(text.utf8), to: descriptor, path: "standard error")
    }
}
