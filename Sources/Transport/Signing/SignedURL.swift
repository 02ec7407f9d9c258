/// The parts of a URL in the form that is signed: each byte is encoded in one way only.
struct SignedURL {
    /// The value of the `Host` field: the port is left out if it is the scheme's own.
    let host: String
    /// The path, encoded once.
    let path: String
    /// The query, sorted by name and value, each encoded once.
    let query: String

    init(_ url: String) {
        let parts = url.prefix { $0 != "#" }.split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let target = parts.first ?? ""
        let scheme = target.prefix { $0 != ":" }.lowercased()
        let rest = target.dropFirst(scheme.count + "://".count)
        let authority = rest.prefix { $0 != "/" }
        let address = authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
        let port = scheme == "https" ? ":443" : ":80"
        host = address.hasSuffix(port) ? String(address.dropLast(port.count)) : address
        let path = rest.dropFirst(authority.count)
        self.path = path.isEmpty ? "/" : Self.encoded(Self.decoded(path), keeping: "/")
        let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                // Services read a plus sign in a query as a space.
                .map { Self.encoded(Self.decoded($0.map { $0 == "+" ? "%20" : String($0) }.joined())) }
        }
        let sorted = pairs.map { (name: $0[0], value: $0.count > 1 ? $0[1] : "") }.sorted { $0 < $1 }
        query = sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Returns the bytes that percent-encoded text stands for.
    private static func decoded(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns text with every byte encoded but those that RFC 3986 (section 2.3) reserves for no purpose, and `kept`.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        encoded(Array(text.utf8), keeping: kept)
    }

    private static func encoded(_ bytes: [UInt8], keeping kept: String = "") -> String {
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

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
