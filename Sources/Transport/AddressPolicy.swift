/// Which addresses may be connected to: public ones, and what is allowed besides.
public struct AddressPolicy: Sendable, Equatable {
    /// Every address.
    public static let any = AddressPolicy(permitsEverything: true)
    /// Public addresses alone.
    public static let publicOnly = AddressPolicy(permitsEverything: false)

    private let permitsEverything: Bool
    private var hosts: Set<String> = []
    private var ranges: [AddressRange] = []

    private init(permitsEverything: Bool) {
        self.permitsEverything = permitsEverything
    }

    /// Public addresses, and what `entries` name.
    /// - Parameter entries: Addresses (`127.0.0.1`), ranges (`10.0.0.0/8`) and host names (`localhost`), which
    ///   allow every address of that host.
    /// - Throws: ``AddressPolicyError`` for an entry that is none of them.
    public init(allow entries: [String]) throws(AddressPolicyError) {
        self.init(permitsEverything: false)
        for entry in entries {
            var text = entry.lowercased()
            if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
            if let range = AddressRange(text) {
                ranges.append(range)
            } else if Self.isHostName(text) {
                hosts.insert(Self.normalised(text))
            } else {
                throw AddressPolicyError(entry: entry)
            }
        }
    }

    /// Whether `address`, which `host` resolved to, may be connected to.
    public func permits(_ address: IPAddress, host: String) -> Bool {
        permitsEverything || address.isPublic || ranges.contains { $0.contains(address) }
            || (!hosts.isEmpty && hosts.contains(Self.normalised(host.lowercased())))
    }

    /// A final dot only says that the name is complete.
    private static func normalised(_ host: String) -> String {
        host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// A name whose last label is not a number: `10.0.0` is a mistake, not a host.
    private static func isHostName(_ text: String) -> Bool {
        let labels = normalised(text).split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, !last.allSatisfy(\.isNumber), !last.hasPrefix("0x") else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        }
    }
}

/// An entry of an ``AddressPolicy`` that is neither an address, a range nor a host name.
public struct AddressPolicyError: Error, Sendable, CustomStringConvertible {
    /// The entry as given.
    public let entry: String

    /// The entry and what it should be.
    public var description: String {
        "\"\(TransportError.printable(entry))\" is neither an address (127.0.0.1, ::1), "
            + "a range (10.0.0.0/8) nor a host name"
    }
}
