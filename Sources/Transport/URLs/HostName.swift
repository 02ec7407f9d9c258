import Files
import Foundation

/// The spellings of a host, which browsers take for one (WHATWG URL Standard, "Hosts").
public enum HostName {
    /// Returns the host of a URL as browsers write it: a name in lower case and in ASCII (`xn--…`), an IPv4 address as four decimal
    /// numbers, an IPv6 address in brackets.
    ///
    /// Names that are not ASCII are read by Foundation's IDNA (UTS #46, not transitional).
    /// - Throws: ``WebURLError`` with the reason if no browser takes it.
    public static func canonical(_ written: some Collection<UInt8>) throws(WebURLError) -> String {
        guard !written.isEmpty else { throw WebURLError("the URL has no host") }
        if written.first == UInt8(ascii: "[") { return try bracketed(written) }
        guard let text = String(validating: PercentEncoding.decoded(written), as: UTF8.self) else {
            throw WebURLError("the host is not UTF-8")
        }
        let name = text.utf8.allSatisfy { $0 < 0x80 } ? text.lowercased() : try ascii(text)
        guard name.utf8.allSatisfy(isOfName) else { throw WebURLError("the host has an invalid character") }
        guard let bits = try IPv4Number.address(name.utf8) else { return name }
        return IPAddress(ipv4: bits).description
    }

    /// Returns the identity of a host, for rates and settings: all spellings of a name or an address have one such text,
    /// without brackets and without the dot that marks a name as complete.
    ///
    /// A text that is no host is only put in lower case.
    public static func comparable(_ host: String) -> String {
        var host = host
        if host.withUTF8(isComparable) { return host }
        if let address = IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host) {
            return address.description
        }
        let name = (try? canonical(host.utf8)) ?? host.lowercased()
        return name.count > 1 && name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Returns the identity of `host` or `host:port`, whose host is spelled as ``comparable(_:)`` does; that of `s3://bucket` in lower
    /// case.
    package static func comparablePlace(_ text: String) -> String {
        guard !text.containsASCII("/") else { return text.lowercased() }
        let (host, port) = parts(of: text)
        return comparable(host) + (port.map { ":\($0)" } ?? "")
    }

    /// Returns the host and the port of `host:port`; an IPv6 address may stand in brackets, without which its colons are its own if
    /// they can be.
    package static func parts(of text: String) -> (host: String, port: String?) {
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]"), IPAddress(text) == nil else {
            return (text, nil)
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Returns what is chosen for a place of a job: under its name, or without the `:port` or the `s3://` of that.
    ///
    /// Its name is a name or an address, with `:port` behind it unless that is the scheme's own, or `s3://bucket`.
    package static func entry<Value>(for place: String, in chosen: [String: Value]) -> Value? {
        guard !chosen.isEmpty else { return nil }
        let bucket = place.hasPrefix("s3://") ? place.dropFirst("s3://".count) : nil
        // An IPv6 address has colons of its own.
        let bare = bucket ?? place.lastIndex(of: ":").map { place[..<$0] } ?? place[...]
        return chosen[place] ?? chosen[String(bare)]
    }

    /// True for a name that is as all spellings of it become: nearly every one there is.
    private static func isComparable(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = host.last, last != UInt8(ascii: "."),
            host.allSatisfy({ isOfName($0) && $0 &- UInt8(ascii: "A") >= 26 })
        else { return false }
        let dot = host.lastIndex(of: UInt8(ascii: "."))
        return !IPAddress.isDigit(host[dot.map { $0 + 1 } ?? 0])
    }

    /// True for the ASCII characters of names.
    package static func isOfName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || IPAddress.isDigit(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }

    /// Removes a final dot, which only marks the name as complete.
    static func withoutFinalDot(_ host: String) -> String {
        host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// True for a name whose last label is not a number: `10.0.0` is a mistake, not a host.
    static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        let labels = withoutFinalDot(text).utf8.split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
        guard let last = labels.last, !last.allSatisfy(IPAddress.isDigit), !last.starts(with: "0x".utf8)
        else { return false }
        // By bytes: hosts of URLs are ASCII.
        return labels.allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy {
                    IPAddress.isDigit($0) || (0x61...0x7A).contains($0) || "-_".utf8.contains($0)
                }
        }
    }

    private static func bracketed(_ written: some Collection<UInt8>) throws(WebURLError) -> String {
        let text = String(decoding: written, as: UTF8.self).lowercased()
        let inside = String(text.dropFirst().dropLast())
        guard text.hasSuffix("]"), inside.containsASCII(":"),
            inside.utf8.allSatisfy({ IPAddress.isDigit($0) || "abcdef:.".utf8.contains($0) }),
            let address = IPAddress(inside)
        else { throw WebURLError("the address between [ and ] is not an IPv6 address") }
        // An IPv4-mapped address becomes that of IPv4, which is not what stands in brackets.
        return address.isIPv4 ? text : "[\(address)]"
    }

    /// Returns the ASCII form of a name.
    private static func ascii(_ name: String) throws(WebURLError) -> String {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x80 || isOfName($0) }
        guard isPlain, let host = URL(string: "http://\(name)/")?.host, !host.isEmpty,
            host.utf8.allSatisfy({ $0 < 0x80 })
        else { throw WebURLError("the host is no valid international name") }
        return host.lowercased()
    }
}

/// IPv4 addresses in the notations that browsers read: one to four numbers, decimal, octal (`0177`) or hexadecimal (`0x7f`).
enum IPv4Number {
    /// Returns the address that a host stands for; nil if its last label is no number, so that it is a name.
    /// - Throws: ``WebURLError`` for a host that ends in a number and is no address.
    static func address(_ host: String.UTF8View) throws(WebURLError) -> UInt32? {
        var labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard let last = labels.last, !last.isEmpty,
            last.allSatisfy(IPAddress.isDigit) || number(last) != nil
        else { return nil }
        let numbers = labels.compactMap(number)
        guard numbers.count == labels.count, labels.count <= 4,
            numbers.dropLast().allSatisfy({ $0 < 256 }),
            let rest = numbers.last, rest >> (8 * UInt64(5 - labels.count)) == 0
        else { throw WebURLError("the host ends in a number and is no IPv4 address") }
        let first = numbers.dropLast().enumerated().reduce(UInt64(0)) {
            $0 | $1.element << (24 - 8 * $1.offset)
        }
        return UInt32(first | rest)
    }

    /// Returns the value of a number, at most one more than 32 bits hold; nil if it is none.
    private static func number(_ text: Substring.UTF8View) -> UInt64? {
        guard let first = text.first else { return nil }
        var (digits, radix) = (text, UInt64(10))
        if first == UInt8(ascii: "0"), text.count > 1 {
            let isHex = text.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            (digits, radix) = isHex ? (text.dropFirst(2), 16) : (text.dropFirst(), 8)
        }
        var value: UInt64 = 0
        for byte in digits {
            let digit = byte < 0x3A ? UInt64(byte) &- 0x30 : UInt64(byte | 0x20) &- 0x57
            guard digit < radix, byte < 0x3A || byte | 0x20 >= 0x61 else { return nil }
            value = min(value * radix + digit, 1 << 32)
        }
        return value
    }
}
