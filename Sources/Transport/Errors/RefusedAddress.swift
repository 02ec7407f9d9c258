/// An address that no connection may use, because it is neither public nor allowed.
package struct RefusedAddress: Sendable, Equatable {
    /// The host that was connected to, as the URL or the proxy's has it: a name, or the address itself.
    package let host: String
    /// The address of the host.
    package let address: IPAddress

    /// Returns the error in a sentence; its remedy is to add the address or the host to `setting`.
    package func message(setting: String) -> String {
        let host = TransportError.printable(host)
        let isLiteral = host == "\(address)"
        return (isLiteral ? "\(host)" : "\(host) is at \(address), which") + " is not a public address; add "
            + (isLiteral ? "" : "\"\(address)\" or ") + "\"\(host)\" to \(setting) to reach it"
    }
}
