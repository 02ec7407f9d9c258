package import Transport

extension RefusedAddress {
    /// The error of a run, whose remedy names the manifest's key.
    package var manifestMessage: String {
        message(setting: "network.allow (--allow \(TransportError.printable(host)) of resize and convert)")
    }
}
