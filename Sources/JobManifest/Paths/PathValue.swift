import Files
import Foundation

/// Sanitising of values in paths (`docs/paths.md`).
package enum PathValue {
    /// The most bytes of a value, and of a name in a path.
    static let longest = 200
    static let longestName = 255

    /// `text` in NFC with everything but Unicode letters and digits, `.`, `_` and `-` made `_`, no dot first,
    /// and at most 200 bytes: a longer one is cut and ends with 8 hexadecimal digits of its SHA-256.
    package static func sanitized(_ text: String) -> String {
        // Nearly every name there is needs nothing done.
        var text = text
        let isHarmless = text.withUTF8 { bytes in
            bytes.count <= longest && bytes.first != UInt8(ascii: ".") && bytes.allSatisfy(isPlain)
        }
        if isHarmless { return text }
        var value = ""
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            value.unicodeScalars.append(isKept(scalar) ? scalar : "_")
        }
        if value.utf8.first == UInt8(ascii: ".") {
            value = "_" + value.unicodeScalars.dropFirst().map(String.init).joined()
        }
        return value.utf8.count > longest ? cut(value, to: longest, hashing: text) : value
    }

    /// Returns a value of a path as an output wants it.
    static func value(_ text: String, _ names: OutputPath.Names) -> String {
        names == .asFound ? asFound(text) : sanitized(text)
    }

    /// `text` as it is, but for slashes, control characters and a `-` first, which become `_`, and cut to 255 bytes.
    ///
    /// What begins with `.nuke-batch` is the job's own, and gets a `_` before it.
    static func asFound(_ text: String) -> String {
        var value = ""
        for scalar in text.unicodeScalars {
            let isBad = scalar == "/" || scalar.properties.generalCategory == .control
            value.unicodeScalars.append(isBad ? "_" : scalar)
        }
        if value.utf8.first == UInt8(ascii: "-") {
            value = "_" + String(value.unicodeScalars.dropFirst())
        }
        if value.utf8.starts(with: ".nuke-batch".utf8) { value = "_" + value }
        return value.utf8.count > longestName ? cut(value, to: longestName, hashing: text) : value
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isKept(_ scalar: UnicodeScalar) -> Bool {
        if scalar.isASCII { return isPlain(UInt8(truncatingIfNeeded: scalar.value)) }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber:
            true
        default: false
        }
    }

    /// The beginning of `value`, whole scalars only, and 8 digits that distinguish `text` from others of that beginning.
    private static func cut(_ value: String, to length: Int, hashing text: String, ending: String = "")
        -> String
    {
        var beginning = ""
        var count = ending.utf8.count + 8
        for scalar in value.unicodeScalars {
            count += UTF8.width(scalar)
            if count > length { break }
            beginning.unicodeScalars.append(scalar)
        }
        return beginning + Digest.sha256.hex(of: text).prefix(8) + ending
    }

    /// A path of sanitised values and a checked template, with names that are empty left out, names of dots alone
    /// made harmless, and names that no file may have, as several values came together, cut before their extension.
    static func joined(_ path: String, _ names: OutputPath.Names = .portable) -> String {
        var path = path
        if path.withUTF8(isJoined) { return path }
        let most = names == .asFound ? longestName : longest
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map {
            name(String(Substring($0)), most: most)
        }
        return parts.isEmpty ? "_" : parts.joined(separator: "/")
    }

    /// Returns true if every name of a path is present, is not of dots alone, and is not too long.
    private static func isJoined(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        var length = 0
        var dots = 0
        for byte in path {
            if byte == UInt8(ascii: "/") {
                if length == dots { return false }
                length = 0
                dots = 0
            } else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
                if length > longestName { return false }
            }
        }
        return length > dots
    }

    private static func name(_ text: String, most: Int) -> String {
        if text == "." || text == ".." { return "_" }
        guard text.utf8.count > longestName else { return text }
        let dot = text.utf8.lastIndex(of: UInt8(ascii: "."))
        let ending = dot.map { String(text[$0...]) } ?? ""
        let isExtension = ending.utf8.count <= 16
        return cut(text, to: most, hashing: text, ending: isExtension ? ending : "")
    }
}

extension PlannedItem {
    /// The value of `{id}`: its id, or the first digits of its URL's hash.
    package var pathID: String { pathID(.portable) }

    /// The value of `{id}` in a path with such names.
    func pathID(_ names: OutputPath.Names) -> String {
        id.map { PathValue.value($0, names) } ?? String(Digest.sha256.hex(of: url).prefix(16))
    }
}
