import Foundation

/// The data of a `data:` URL (RFC 2397).
enum DataURL {
    /// Returns the bytes of the URL `text`; nil if it is not a `data:` URL.
    ///
    /// They are what follows the first comma, percent-decoded, and base64-decoded where `;base64` ends the part
    /// before it.
    static func data(of text: String) -> Data? {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: 0x3A), text[..<colon].lowercased() == "data",
            let comma = bytes[colon...].firstIndex(of: 0x2C)
        else { return nil }
        let type = text[colon..<comma].lowercased()
        guard let content = percentDecoded(bytes[bytes.index(after: comma)...].prefix { $0 != 0x23 }) else {
            return nil
        }
        guard type.hasSuffix(";base64") else { return content }
        return base64Decoded(content)
    }

    private static func percentDecoded(_ bytes: some Sequence<UInt8>) -> Data? {
        var data = Data()
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            guard byte == 0x25 else {
                data.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexadecimal),
                let low = iterator.next().flatMap(hexadecimal)
            else { return nil }
            data.append(high << 4 | low)
        }
        return data
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// White space is skipped and missing padding is supplied, as browsers do.
    private static func base64Decoded(_ content: Data) -> Data? {
        var text = content.filter { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        while text.last == 0x3D { text.removeLast() }
        guard text.count % 4 != 1 else { return nil }
        text.append(contentsOf: Array(repeating: 0x3D, count: (4 - text.count % 4) % 4))
        return Data(base64Encoded: text)
    }
}
