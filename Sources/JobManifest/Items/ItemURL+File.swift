package import Files
import Foundation
import ObjectStorage
import Transport

/// Paths as `file:` URLs (RFC 8089), and the bytes that URLs may hold.
extension ItemURL {
    /// The treatment of a byte of a URL.
    enum ByteKind: UInt8 {
        /// Reserved and unreserved characters of RFC 3986, kept.
        case plain
        /// The rest of ASCII, and everything beyond: percent-encoded.
        case encoded
        case percent
        /// Begins a fragment, which is dropped.
        case fragment
        case backslash
        case space
        case control

        static let table: [ByteKind] = (0...255).map { byte in
            switch UInt8(byte) {
            case 0x20: .space
            case 0..<0x20, 0x7F: .control
            case UInt8(ascii: "%"): .percent
            case UInt8(ascii: "#"): .fragment
            case UInt8(ascii: "\\"): .backslash
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"),
                0x80...0xFF:
                .encoded
            default: .plain
            }
        }
    }

    /// Returns the path of a `file:` URL; nil for any other text.
    package static func path(ofFile url: String) -> String? {
        url.prefix(5).lowercased() == "file:" ? URL(encoded: url)?.path : nil
    }

    /// The `file:` URL of an absolute path.
    package static func file(absolutePath path: String) -> String {
        var path = path
        return "file://" + path.withUTF8 { encoded($0, isPath: true) }
    }

    /// The `file:` URL of an absolute path, which need not be UTF-8.
    package static func file(absolutePath path: BytePath) -> String {
        "file://" + path.bytes.withUnsafeBufferPointer { encoded($0, isPath: true) }
    }

    /// The `file:` URL of an absolute folder, with one slash at its end.
    static func file(folder: String) -> String {
        folder == "/" ? "file:///" : file(absolutePath: folder) + "/"
    }

    /// The URL of a folder, a path or `s3://bucket/prefix`, with one slash at its end.
    static func url(ofFolder folder: String) -> String {
        guard ObjectLocation.isLocation(folder) else { return file(folder: folder) }
        return folder.hasSuffix("/") ? folder : folder + "/"
    }

    /// A bare path of a row: a file in or below the manifest's folder, or anywhere if it is absolute.
    static func file(_ text: UnsafeBufferPointer<UInt8>, folder: String) -> Checked {
        guard !text.contains(where: { ByteKind.table[Int($0)] == .control }) else {
            return bad(encoded(text), "the path holds a control character")
        }
        guard UTF8Check.validCount(of: text) == text.count else {
            // No text holds these bytes, but their URL does; `/` and `.` are the same there.
            var folder = folder
            let encodedFolder = folder.withUTF8 { encoded($0, isPath: true) }
            let path = FilePath.absolute(encoded(text, isPath: true), in: encodedFolder)
            return Checked(url: "file://" + path, problem: nil)
        }
        let path = FilePath.absolute(String(decoding: text, as: UTF8.self), in: folder)
        return Checked(url: file(absolutePath: path), problem: nil)
    }

    /// Returns a text percent-encoded as bytes are.
    package static func encoded(_ text: String) -> String {
        var text = text
        return text.withUTF8 { encoded($0) }
    }

    /// The text with its control characters percent-encoded.
    static func encodedControls(_ text: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar in
            guard scalar.isASCII, ByteKind.table[Int(scalar.value)] == .control else { return String(scalar) }
            return encoded(String(scalar))
        }.joined()
    }

    /// The text with every byte that no URL may hold percent-encoded; of a path also those that would end it, and with
    /// `escapesPercent` each `%` without two hexadecimal digits.
    package static func encoded(
        _ text: UnsafeBufferPointer<UInt8>,
        isPath: Bool = false,
        escapesPercent: Bool = false
    ) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        for (index, byte) in text.enumerated() {
            let isKept =
                switch ByteKind.table[Int(byte)] {
                case .plain: !isPath || !endsPath(byte)
                case .fragment: !isPath
                case .percent:
                    !isPath
                        && (!escapesPercent
                            || text.dropFirst(index + 1).prefix(2).count(where: isHexDigit) == 2)
                case .encoded, .backslash, .space, .control: false
                }
            if isKept {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// True for the characters of a URL that a path cannot hold as they are, though a URL can.
    private static func endsPath(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
            || byte == UInt8(ascii: ";")
    }
}
