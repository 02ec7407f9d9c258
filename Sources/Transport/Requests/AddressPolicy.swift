/// The addresses that connections may use: public ones, and those explicitly allowed.
public struct AddressPolicy: Sendable, Equatable {
    /// Every address.
    public static let any = AddressPolicy(permitsEverything: true)
    /// Every address but those of the cloud that this machine runs in (``IPAddress/isOfThisMachinesCloud``).
    public static let anyService = AddressPolicy(permitsEverything: true, refusesCloud: true)
    /// Only public addresses.
    public static let publicOnly = AddressPolicy(permitsEverything: false)

    private let permitsEverything: Bool
    private let refusesCloud: Bool
    private var hosts: Set<String> = []
    private var ranges: [AddressRange] = []

    private init(permitsEverything: Bool, refusesCloud: Bool = false) {
        (self.permitsEverything, self.refusesCloud) = (permitsEverything, refusesCloud)
    }

    /// Creates a policy that allows public addresses and those of `entries`.
    /// - Parameter entries: Addresses (`127.0.0.1`), ranges (`10.0.0.0/8`) and host names (`localhost`). A host name
    ///   allows every address of that host.
    /// - Throws: ``AddressPolicyError`` for any other entry.
    public init(allow entries: [String]) throws(AddressPolicyError) {
        self.init(permitsEverything: false)
        for entry in entries {
            var text = entry.lowercased()
            if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
            if !text.utf8.allSatisfy({ $0 < 0x80 }) { text = (try? HostName.canonical(text.utf8)) ?? text }
            if let range = AddressRange(text) {
                ranges.append(range)
            } else if HostName.isName(text) {
                hosts.insert(HostName.withoutFinalDot(text))
            } else {
                throw AddressPolicyError(entry: entry)
            }
        }
    }

    /// Returns true if a connection to `address`, which `host` resolved to, is allowed.
    public func permits(_ address: IPAddress, host: String) -> Bool {
        if refusesCloud, address.isOfThisMachinesCloud { return false }
        return permitsEverything || address.isPublic || ranges.contains { $0.contains(address) }
            || (!hosts.isEmpty && hosts.contains(HostName.withoutFinalDot(host.lowercased())))
    }

    /// Returns the error of a connection to `host` if it is an address that is not allowed; nil for any name.
    ///
    /// The addresses of a name are only known at the connection, where every address is checked.
    public func refusal(of host: String) -> TransportError? {
        guard let address = IPAddress(host), !permits(address, host: host) else { return nil }
        return TransportError(refusing: RefusedAddress(host: host, address: address))
    }
}

/// An entry of an ``AddressPolicy`` that is neither an address, a range nor a host name.
public struct AddressPolicyError: Error, Sendable, CustomStringConvertible {
    /// The invalid entry.
    public let entry: String

    /// The entry and the expected forms.
    public var description: String {
        "\"\(TransportError.printable(entry))\" is neither an address (127.0.0.1, ::1), "
            + "a range (10.0.0.0/8) nor a host name"
    }
}
