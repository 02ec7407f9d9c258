/// Why a transfer failed.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The classes of failures.
    public enum Reason: Sendable, Hashable {
        /// The host has no address, or no name server answered.
        case dns
        /// No connection: nobody listens there, or the way there is closed.
        case refused
        /// A time limit passed.
        case timeout
        /// The connection broke.
        case reset
        /// TLS failed: a certificate that is not trusted, or no common version.
        case tls
        /// The body ended before its declared end.
        case truncated
        /// The head contradicts itself, so that nobody can tell where the body ends.
        case integrity
        /// The connection closed without a byte.
        case empty
        /// The body has more bytes than allowed.
        case tooLarge
        /// The URL is none.
        case badURL
        /// The URL's scheme is not allowed.
        case scheme
        /// The address is not public and not allowed.
        case address
        /// The peer does not speak the protocol, or the request cannot be put into it.
        case `protocol`
        /// The FTP server has no such file, or does not give it.
        case notFound
        /// This machine is in the way: out of descriptors, memory or ports.
        case local(errno: Int32)
        /// Somebody cancelled it.
        case cancelled
    }

    /// The class.
    public let reason: Reason
    /// One sentence without the URL: what went wrong, and what to do about it where that is known.
    public let message: String
    /// Whether the same request may succeed later.
    public let isTransient: Bool

    /// An error; whether it is transient follows from its reason unless it is said.
    public init(_ reason: Reason, _ message: String, isTransient: Bool? = nil) {
        self.reason = reason
        self.message = Self.printable(message)
        self.isTransient = isTransient ?? reason.isTransient
    }

    /// The message.
    public var description: String { message }

    /// The text with its control characters replaced, since much of it comes from servers.
    static func printable(_ text: String) -> String {
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
