public import Foundation

/// One request: what to send, and within which limits.
public struct TransferRequest: Sendable {
    /// The absolute URL.
    public var url: String
    /// The host of the URL in lower case, which ``AddressPolicy`` is asked about; without brackets.
    public var host: String
    /// The method, as `GET`.
    public var method: String
    /// The header fields in their order.
    public var headers: [Header]
    /// The body, for methods that have one.
    public var body: Data?
    /// Until the connection stands, TLS included.
    public var connectTimeout: Duration = .seconds(10)
    /// Without a byte in either direction once the connection stands.
    public var idleTimeout: Duration = .seconds(60)
    /// For the whole transfer.
    public var totalTimeout: Duration = .seconds(600)
    /// The most bytes that the body may have; nil for no limit.
    public var maximumBytes: Int?

    /// The bounds on bytes a second that the transfer shares with others.
    public var bandwidths: [Bandwidth] = []
    /// How the client says who it is; nil for not at all.
    public var authentication: Authentication?
    /// What the client shows to a TLS server that asks for a certificate.
    public var clientCertificate: ClientCertificate?

    /// A header field of a request or response.
    public struct Header: Sendable, Hashable {
        /// The name as written.
        public var name: String
        /// The value without white space around it.
        public var value: String

        /// A header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Whether it has this name, in whatever case.
        func isNamed(_ name: String) -> Bool {
            self.name.utf8.count == name.utf8.count && self.name.lowercased() == name.lowercased()
        }
    }

    /// A request with default limits.
    public init(url: String, host: String, method: String = "GET", headers: [Header] = [], body: Data? = nil)
    {
        self.url = url
        self.host = host
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// The scheme of the URL in lower case; empty if it has none.
    var scheme: String {
        guard let colon = url.firstIndex(of: ":") else { return "" }
        return url[..<colon].lowercased()
    }

    /// Why this request must not be sent; nil if it may.
    func refusal(schemes: Set<String>) -> TransportError? {
        if !schemes.contains(scheme) {
            return TransportError(
                .scheme,
                "the scheme \"\(scheme)\" is not allowed; allowed are \(schemes.sorted().joined(separator: ", "))"
            )
        }
        if url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) {
            return TransportError(.badURL, "the URL holds a blank or a control character; percent-encode it")
        }
        if method.isEmpty || !method.utf8.allSatisfy(Self.isTokenByte) {
            return TransportError(.protocol, "the method is not a name of HTTP")
        }
        for header in headers
        where header.name.isEmpty || !header.name.utf8.allSatisfy(Self.isTokenByte)
            || header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 })
        {
            let name = TransportError.printable(header.name)
            return TransportError(
                .protocol,
                "the header field \"\(name)\" holds characters that HTTP forbids"
            )
        }
        return authentication?.refusal
    }

    /// The bytes of a token (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
