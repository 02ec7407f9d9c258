/// A failed transfer.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The classes of failures.
    public enum Reason: Sendable, Hashable {
        /// The host has no address, or no name server answered.
        case dns
        /// Connection refused, or the host is unreachable.
        case refused
        /// A time limit passed.
        case timeout
        /// The connection was reset.
        case reset
        /// TLS failed: an untrusted certificate, or no common version.
        case tls
        /// The body is shorter than declared.
        case truncated
        /// The head contradicts itself, so the end of the body is ambiguous.
        case integrity
        /// The connection closed before the first byte.
        case empty
        /// The body exceeds the allowed size.
        case tooLarge
        /// The URL is invalid.
        case badURL
        /// The URL's scheme is not allowed.
        case scheme
        /// The address is neither public nor explicitly allowed.
        case address
        /// The peer violates the protocol, or the request cannot be expressed in it.
        case `protocol`
        /// The FTP server has no such file or denies access to it.
        case notFound
        /// A local problem: out of descriptors, memory or ports.
        case local(errno: Int32)
        /// The transfer was cancelled.
        case cancelled
    }

    /// The class of the failure.
    public let reason: Reason
    /// The failure and, if known, its remedy, without the URL.
    public let message: String
    /// True if the same request may succeed later.
    public let isTransient: Bool
    /// True if a kept connection was closed before the first byte of the response.
    ///
    /// Servers close idle connections at any time, so an idempotent request may be sent again at once (RFC 9112,
    /// section 9.3.1).
    public var isConnectionStale = false
    /// True if the content does not have the coding that its response names, or one that cannot be decoded, such as
    /// `aws-chunked`.
    public var isContentCodingWrong = false
    /// True if it concerns all hosts: this machine's name servers do not answer, or cannot.
    package var isOfNameServers = false
    /// True if the name servers of one domain do not answer, while those of others may.
    package var isOfOneName = false
    /// The address that was refused, if the reason is ``Reason/address``.
    package private(set) var refusedAddress: RefusedAddress?

    /// Creates an error.
    ///
    /// Without `isTransient`, the reason decides.
    public init(_ reason: Reason, _ message: String, isTransient: Bool? = nil) {
        self.reason = reason
        self.message = Self.printable(message)
        self.isTransient = isTransient ?? reason.isTransient
    }

    /// Creates the error of an address that is neither public nor allowed.
    init(refusing address: RefusedAddress) {
        self.init(
            .address,
            address.message(setting: "the AddressPolicy(allow:) of configuration.addressPolicy")
        )
        refusedAddress = address
    }

    /// True if it is a problem of this machine.
    var isLocal: Bool {
        if case .local = reason { true } else { false }
    }

    /// The message.
    public var description: String { message }

    /// The text with control characters replaced, because it may come from a server.
    package static func printable(_ text: String) -> String {
        let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }
}

extension TransportError.Reason {
    var isTransient: Bool {
        switch self {
        case .dns, .refused, .timeout, .reset, .truncated, .integrity, .empty, .local, .cancelled: true
        case .tls, .tooLarge, .badURL, .scheme, .address, .protocol, .notFound: false
        }
    }
}
