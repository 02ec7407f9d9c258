/// The parts of a URL, one by one.
extension WebURL {
    /// The host and the port of a URL.
    struct Place {
        let host: String
        let port: UInt16?
        /// Both as written, if they are spelled as a URL may be, or else in their one spelling.
        let written: String

        /// Reads `host:port`.
        /// - Throws: ``WebURLError`` for a host that browsers refuse, and for a port that is none.
        init(_ text: ArraySlice<UInt8>) throws(WebURLError) {
            let bracket = text.first == UInt8(ascii: "[") ? text.firstIndex(of: UInt8(ascii: "]")) : nil
            let colon = text[(bracket ?? text.startIndex)...].firstIndex(of: UInt8(ascii: ":"))
            let name = text[..<(colon ?? text.endIndex)]
            host = try HostName.canonical(name)
            let digits = colon.map { text[($0 + 1)...] } ?? []
            port = UInt16(String(decoding: digits, as: UTF8.self))
            guard digits.isEmpty || port != nil && digits.allSatisfy(IPAddress.isDigit) else {
                throw WebURLError("the text behind the host's colon is not a port from 0 to 65535")
            }
            let isSpelled = bracket != nil || name.allSatisfy(HostName.isOfName)
            let rest = String(decoding: text[name.endIndex...], as: UTF8.self)
            let isShort = digits.count <= 5
            written =
                (isSpelled ? String(decoding: name, as: UTF8.self) : host)
                + (isShort ? rest : port.map { ":\($0)" } ?? "")
        }
    }

    /// Returns bytes with those that no URL may hold percent-encoded; in a path, `\` becomes `/`.
    static func encoded(_ text: ArraySlice<UInt8>, isPath: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 16)
        for (index, byte) in zip(text.indices, text) {
            let isKept =
                switch byte {
                case UInt8(ascii: "%"): text[(index + 1)...].prefix(2).count(where: isHexDigit) == 2
                case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"),
                    UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"),
                    UInt8(ascii: "\\"), 0...0x20, 0x7F...0xFF:
                    false
                default: true
                }
            if isKept {
                bytes.append(byte)
            } else if isPath, byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "/"))
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        IPAddress.isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// Returns a path without `.` and `..`, which may be percent-encoded; with a slash, if it is empty.
    static func withoutDots(_ path: String) -> String {
        var names: [Substring.UTF8View] = []
        let all = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (index, name) in zip(all.indices, all) {
            let isLast = index == all.endIndex - 1
            switch dots(name) {
            case 0: names.append(name)
            case 2:
                _ = names.popLast()
                fallthrough
            default: if isLast { names.append(name.prefix(0)) }
            }
        }
        return "/" + names.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Returns 1 for `.`, 2 for `..`, and 0 for any other name.
    private static func dots(_ name: Substring.UTF8View) -> Int {
        guard name.count <= 6 else { return 0 }
        let decoded = PercentEncoding.decoded(name)
        return decoded.count <= 2 && decoded.allSatisfy { $0 == UInt8(ascii: ".") } ? decoded.count : 0
    }
}
