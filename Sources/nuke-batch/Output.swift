import Foundation

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

    /// Messages, for people.
    static func message(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Text for standard error without a line's end.
    static func progress(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

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

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .control || category == .format
    }

    private static func write(_ text: String, to descriptor: Int32) {
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
