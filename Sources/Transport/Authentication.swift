/// How a client says who it is (RFC 9110, section 11).
///
/// Nothing that prints one shows what is secret in it.
public enum Authentication: Sendable, Hashable {
    /// Name and password with every request, readable for all who see it (RFC 7617); over FTP its login.
    case basic(user: String, password: String)
    /// Name and password as a digest of what the server asks (RFC 7616); the first request of each load is
    /// therefore sent twice.
    case digest(user: String, password: String)
    /// A token with every request (RFC 6750).
    case bearer(token: String)
    /// A signature of each request (AWS Signature Version 4), as S3 and its kin want it.
    case awsSigV4(AWSCredentials)
    /// Name and password of the URL's host in a `.netrc` file, that of the user's home where no path is given.
    case netrc(path: String? = nil)

    /// Whether the server is asked before the proof is sent, so that a first answer may be a challenge.
    var isChallenged: Bool {
        if case .digest = self { return true }
        return false
    }

    /// Why this cannot be sent; nil if it can.
    var refusal: TransportError? {
        switch self {
        case .basic(let user, let password), .digest(let user, let password):
            if user.utf8.contains(UInt8(ascii: ":")) {
                return TransportError(.protocol, "a user name for HTTP must not hold a colon")
            }
            return Self.isText(user) && Self.isText(password)
                ? nil : TransportError(.protocol, "the user name or password holds a control character")
        case .bearer(let token):
            return Self.isText(token) && !token.isEmpty
                ? nil : TransportError(.protocol, "the bearer token is empty or holds a control character")
        case .awsSigV4(let credentials):
            let texts = [
                credentials.region, credentials.service, credentials.accessKey, credentials.secretKey,
            ]
            return (texts + [credentials.sessionToken ?? ""]).allSatisfy(Self.isText)
                && !texts.contains("") && !texts.prefix(2).contains { $0.contains(":") }
                ? nil
                : TransportError(
                    .protocol,
                    "a part of the AWS credentials is empty or holds a control character"
                )
        case .netrc:
            return nil
        }
    }

    private static func isText(_ text: String) -> Bool {
        !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String {
        switch self {
        case .basic: "basic"
        case .digest: "digest"
        case .bearer: "bearer"
        case .awsSigV4: "awsSigV4"
        case .netrc: "netrc"
        }
    }

    /// The kind alone.
    public var debugDescription: String { description }

    /// Empty, so that `dump` shows the kind alone.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .enum) }
}

/// A certificate that a client shows to TLS servers that ask for one.
///
/// Nothing that prints it shows the password.
public struct ClientCertificate: Sendable, Hashable {
    /// The file of the certificate: PKCS #12 if its name ends in `.p12` or `.pfx`, else PEM.
    public var certificate: String
    /// The PEM file of the private key; nil if the certificate's file holds it.
    public var key: String?
    /// The password of the private key.
    public var password: String?

    /// A certificate in files.
    public init(certificate: String, key: String? = nil, password: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.password = password
    }

    /// The type of the certificate's file, as libcurl calls it.
    var fileType: String {
        let name = certificate.lowercased()
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx") ? "P12" : "PEM"
    }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The certificate's path.
    public var description: String { certificate }

    /// The certificate's path.
    public var debugDescription: String { description }

    /// The paths, so that `dump` does not show the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["certificate": certificate, "key": key as Any], displayStyle: .struct)
    }
}
