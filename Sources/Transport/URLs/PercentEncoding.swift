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
        bytes.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), case let digits = rest.prefix(2).compactMap(hexDigit),
                digits.count == 2
            {
                bytes.append(digits[0] << 4 | digits[1])
                rest.removeFirst(2)
            } else {
                bytes.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
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
