import CTransport
import Files
import Foundation

/// An IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`) becomes the IPv4 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// True for an IPv4 address.
    public let isIPv4: Bool
    /// The 32 or 128 bits of the address.
    let bits: UInt128

    /// Parses the text form, such as `192.0.2.1` or `2001:db8::1`.
    ///
    /// Nil if it is invalid.
    public init?(_ text: String) {
        self.init { nb_parse_address(text, $0) }
    }

    init?(_ address: UnsafePointer<curl_sockaddr>) {
        self.init { nb_address_bytes(address, $0) }
    }

    /// Takes the bytes that `write` writes to the room that it is given, and whose number it returns.
    private init?(_ write: (UnsafeMutablePointer<UInt8>?) -> Int32) {
        var count: Int32 = 0
        let bits = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
            count = write(bytes.baseAddress)
            return bytes.prefix(Int(count)).reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) }
        }
        guard count > 0 else { return nil }
        if count == 4 || bits >> 32 == 0xffff {
            self.init(ipv4: UInt32(truncatingIfNeeded: bits))
        } else {
            self.init(ipv6: bits)
        }
    }

    init(ipv4 bits: UInt32) {
        isIPv4 = true
        self.bits = UInt128(bits)
    }

    init(ipv6 bits: UInt128) {
        isIPv4 = false
        self.bits = bits
    }

    /// True for an ASCII digit.
    static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    /// The number of bits: 32 or 128.
    var width: Int { isIPv4 ? 32 : 128 }

    /// The text form: dotted decimal or RFC 5952.
    public var description: String {
        guard !isIPv4 else {
            let part = { (shift: Int) in UInt8(truncatingIfNeeded: bits >> shift) }
            return "\(part(24)).\(part(16)).\(part(8)).\(part(0))"
        }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
        // The first of the longest runs of zeros becomes "::", unless it has a single group.
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard longest.count > 1 else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}

/// All addresses with the same prefix (RFC 4632), such as `10.0.0.0/8`.
public struct AddressRange: Sendable, Hashable {
    private let first: IPAddress
    private let length: Int

    /// Parses `address/length` or a single address.
    ///
    /// Nil if it is neither.
    public init?(_ text: String) {
        let parts = text.parts(at: "/", maxSplits: 1)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, length: address.width)
            return
        }
        // `Int` takes a sign as well.
        guard parts[1].utf8.allSatisfy(IPAddress.isDigit), let length = Int(parts[1]),
            (0...address.width).contains(length)
        else { return nil }
        self.init(address, length: length)
    }

    init(_ first: IPAddress, length: Int) {
        self.first = first
        self.length = length
    }

    /// Returns true if the address is in the range.
    public func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv4 == first.isIPv4 else { return false }
        let rest = first.width - length
        return rest == 128 || address.bits >> rest == first.bits >> rest
    }
}
