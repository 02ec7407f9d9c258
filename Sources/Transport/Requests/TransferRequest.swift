public import Files
public import Foundation

/// A request and its limits.
public struct TransferRequest: Sendable {
    /// The absolute URL.
    public var url: String
    /// The host of the URL in lower case, without brackets, for ``AddressPolicy``.
    public var host: String
    /// The method, such as `GET`.
    public var method: String
    /// The header fields in order.
    public var headers: [Header]
    /// The body, for methods that have one.
    public var body: Payload?
    /// The time limit for establishing the connection, including TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest time without a byte in either direction on an established connection.
    public var idleTimeout: Duration = .seconds(60)
    /// The time limit for the whole transfer.
    public var totalTimeout: Duration = .seconds(600)
    /// The most bytes in the body; nil for no limit.
    public var maximumBytes: Int?

    /// The bandwidth limits that the transfer shares with others.
    public var bandwidths: [Bandwidth] = []
    /// True to ask for content without a coding, and to decode the content of a server that sends one all the same
    /// (`Content-Encoding`; RFC 9110, section 8.4).
    public var decodesContent = false
    /// True to use a new connection instead of a kept one.
    public var usesNewConnection = false
    /// The client authentication; nil for none.
    public var authentication: Authentication?
    /// The certificate for TLS servers that request one.
    public var clientCertificate: ClientCertificate?

    /// The secrets of earlier requests of a load, which a redirect may have led into this one.
    package var carried = RequestSecrets()

    /// A header field of a request or response.
    public struct Header: Sendable, Hashable {
        /// The name as written.
        public var name: String
        /// The value without surrounding white space.
        public var value: String

        /// Creates a header field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// A field's name has ASCII letters alone (RFC 9110, section 5.6.2).
        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
        }

        /// Returns true if the field has this name, ignoring case.
        package func isNamed(_ name: String) -> Bool {
            let count = name.utf8.count
            guard self.name.utf8.count == count else { return false }
            // Most names differ in their first bytes, and texts are slow to be read a byte at a time.
            var (own, name) = (self.name, name)
            return own.withUTF8 { own in
                name.withUTF8 { name in
                    (0..<count).allSatisfy { Self.lowercased(own[$0]) == Self.lowercased(name[$0]) }
                }
            }
        }
    }

    /// Creates a request with default limits.
    public init(url: String, host: String, method: String = "GET", headers: [Header] = [], body: Data? = nil)
    {
        self.url = url
        self.host = host
        self.method = method
        self.headers = headers
        self.body = body.map(Payload.init)
    }

    /// The scheme of the URL in lower case; empty if it has none.
    var scheme: String {
        guard let colon = url.firstIndex(of: ":") else { return "" }
        return url[..<colon].lowercased()
    }

    /// The port of the URL, or its scheme's own.
    var port: String {
        let authority = url.dropFirst(scheme.count + "://".count).prefix { !"/?#".contains($0) }
        let digits = authority.reversed().prefix { IPAddress.isDigit($0.asciiValue ?? 0) }
        if !digits.isEmpty, authority.dropLast(digits.count).hasSuffix(":") {
            return String(digits.reversed())
        }
        return ["http": "80", "https": "443"][scheme] ?? "21"
    }

    /// The name that must be looked up; nil if the host is an address, or only the system knows it.
    ///
    /// `localhost` is this machine without being asked for (RFC 6761, section 6.3), as libcurl does it.
    var lookedUpHost: String? {
        isLocal || !HostName.isName(host) ? nil : host
    }

    /// The addresses of a local name with a final dot, of which libcurl asks the system; nil for any other.
    var localAddresses: AddressList? {
        isLocal && host.hasSuffix(".") ? .loopback : nil
    }

    private var isLocal: Bool {
        let name = HostName.withoutFinalDot(host)
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// The header fields, with those of a signature made now if there is to be one.
    var signedHeaders: [Header] {
        guard case .awsSigV4(let signature) = authentication else { return headers }
        return headers + SignatureV4(signature).headers(for: self)
    }

    /// The reason to refuse this request; nil if it is valid.
    func refusal(schemes: Set<String>) -> TransportError? {
        if !schemes.contains(scheme) {
            return TransportError(
                .scheme,
                "the scheme \"\(scheme)\" is not allowed; allowed schemes: \(schemes.sorted().joined(separator: ", "))"
            )
        }
        if url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) {
            return TransportError(
                .badURL,
                "the URL contains a space or a control character; percent-encode it"
            )
        }
        if method.isEmpty || !method.utf8.allSatisfy(Self.isTokenByte) {
            return TransportError(.protocol, "the method is not a valid HTTP method name")
        }
        for header in headers
        where header.name.isEmpty || !header.name.utf8.allSatisfy(Self.isTokenByte)
            || header.value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 })
        {
            let name = TransportError.printable(header.name)
            return TransportError(
                .protocol,
                "the header field \"\(name)\" contains characters that HTTP forbids"
            )
        }
        return authentication?.refusal
    }

    /// True for the bytes of a token (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
