extension IPAddress {
    /// True if the address is globally reachable unicast according to IANA's special-purpose registries.
    ///
    /// Of the addresses that embed an IPv4 address, those of NAT64 and ISATAP are judged by it. 6to4 and Teredo, which
    /// are obsolete, are refused.
    public var isPublic: Bool { isIPv4 ? isPublicIPv4 : isPublicIPv6 }

    private var isPublicIPv4: Bool { !Self.specialIPv4.contains { $0.contains(self) } }

    /// True for an address at which clouds serve credentials and settings of the machine itself: the link-local ones, the EC2
    /// instance metadata service at fd00:ec2::254, and Azure's at 168.63.129.16 (Azure documentation, "What is IP address
    /// 168.63.129.16?").
    ///
    /// An IPv6 address that embeds such an IPv4 address counts.
    public var isOfThisMachinesCloud: Bool {
        if isIPv4 { return Self.cloudIPv4.contains { $0.contains(self) } }
        let embedded = IPAddress(ipv4: UInt32(truncatingIfNeeded: bits))
        if Self.nat64.contains(self) { return embedded.isOfThisMachinesCloud }
        return Self.linkLocal.contains(self) || bits == Self.metadata
    }

    private static let cloudIPv4 = [(0xa9fe_0000, 16), (0xa83f_8110, 32)].map {
        AddressRange(IPAddress(ipv4: $0), length: $1)
    }
    private static let linkLocal = AddressRange(IPAddress(high: 0xfe80_0000), length: 10)
    /// fd00:ec2::254 (Amazon EC2 User Guide, "Instance metadata").
    private static let metadata: UInt128 = 0xfd00_0ec2 << 96 | 0x254

    private var isPublicIPv6: Bool {
        let embedded = IPAddress(ipv4: UInt32(truncatingIfNeeded: bits))
        if Self.nat64.contains(self) { return embedded.isPublicIPv4 }
        // Only 2000::/3 is allocated for global unicast (RFC 4291, section 2.4).
        guard bits >> 125 == 1, !Self.specialIPv6.contains(where: { $0.contains(self) }) else { return false }
        // ISATAP's interface identifier (RFC 5214, section 6.1): 0000:5efe or 0200:5efe, then an IPv4 address.
        let isISATAP = UInt32(truncatingIfNeeded: bits >> 32) & 0xfdff_ffff == 0x0000_5efe
        return !isISATAP || embedded.isPublicIPv4
    }

    /// The prefix that embeds all of IPv4 (RFC 6052).
    private static let nat64 = AddressRange(IPAddress(high: 0x0064_ff9b), length: 96)

    /// Not globally reachable according to https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast.
    private static let specialIPv4: [AddressRange] = [
        (0x0000_0000, 8),  // 0.0.0.0: this network
        (0x0a00_0000, 8),  // 10.0.0.0: private
        (0x6440_0000, 10),  // 100.64.0.0: shared, for carrier-grade NAT
        (0x7f00_0000, 8),  // 127.0.0.0: loopback
        (0xa9fe_0000, 16),  // 169.254.0.0: link-local, including cloud metadata services
        (0xa83f_8110, 32),  // 168.63.129.16: the platform of Azure, below every virtual machine
        (0xac10_0000, 12),  // 172.16.0.0: private
        (0xc000_0000, 24),  // 192.0.0.0: protocol assignments
        (0xc000_0200, 24),  // 192.0.2.0: documentation
        (0xc058_6300, 24),  // 192.88.99.0: 6to4 relays, obsolete
        (0xc0a8_0000, 16),  // 192.168.0.0: private
        (0xc612_0000, 15),  // 198.18.0.0: benchmarks
        (0xc633_6400, 24),  // 198.51.100.0: documentation
        (0xcb00_7100, 24),  // 203.0.113.0: documentation
        (0xe000_0000, 4),  // 224.0.0.0: multicast
        (0xf000_0000, 4),  // 240.0.0.0: reserved and broadcast
    ].map { AddressRange(IPAddress(ipv4: $0), length: $1) }

    /// The same within 2000::/3, according to https://www.iana.org/assignments/iana-ipv6-special-registry.
    private static let specialIPv6: [AddressRange] = [
        (0x2001_0000, 23),  // 2001::/23: protocol assignments, Teredo, benchmarks, ORCHID
        (0x2001_0db8, 32),  // 2001:db8::/32: documentation
        (0x2002_0000, 16),  // 2002::/16: 6to4
        (0x3fff_0000, 20),  // 3fff::/20: documentation
    ].map { AddressRange(IPAddress(high: $0), length: $1) }

    /// Creates the IPv6 address with these first 32 bits, followed by zeros.
    private init(high: UInt32) {
        self.init(ipv6: UInt128(high) << 96)
    }
}
