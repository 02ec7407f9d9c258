package import Foundation

/// Percent-encoding (RFC 3986, section 2.1) as signatures need it: each byte in one way only.
package enum PercentEncoding {
    /// Returns text with every byte encoded but those that RFC 3986 (section 2.3) reserves for no purpose, and `kept`.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        encoded(Array(text.utf8), keeping: kept)
    }

    /// Returns bytes as text, encoded as ``encoded(_:keeping:)`` does.
    package static func encoded(_ bytes: [UInt8], keeping kept: String = "") -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || kept.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns the bytes that encoded text stands for; with `isForm`, a plus sign stands for a space.
    package static func decoded(_ text: some StringProtocol, isForm: Bool = false) -> [UInt8] {
        decoded(text.utf8, isForm: isForm)
    }

    /// Returns the bytes that encoded bytes stand for, as above.
    package static func decoded(_ text: some Collection<UInt8>, isForm: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                bytes.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}

/// URLs whose paths and queries hold brackets.
extension URL {
    /// Creates the URL of a percent-encoded text, in whose path and query brackets may stand as they do in browsers.
    ///
    /// They are percent-encoded: RFC 3986 allows them around an IPv6 address alone, and of a part that holds one Foundation
    /// encodes every `%` again.
    package init?(encoded text: String) {
        let brackets = [UInt8(ascii: "["), UInt8(ascii: "]")]
        guard text.utf8.contains(where: brackets.contains) else {
            self.init(string: text)
            return
        }
        let host = Self.host(in: text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for (index, byte) in zip(text.utf8.indices, text.utf8) {
            let isKept = !brackets.contains(byte) || host.contains(index)
            bytes += isKept ? [byte] : Array((byte == brackets[0] ? "%5B" : "%5D").utf8)
        }
        self.init(string: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the place of the host and port of a URL; an empty one for a URL without a host.
    private static func host(in text: String.UTF8View) -> Range<String.Index> {
        let rest = text.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard rest.starts(with: "//".utf8) else { return text.endIndex..<text.endIndex }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        return (at.map { authority.index(after: $0) } ?? authority.startIndex)..<authority.endIndex
    }
}
