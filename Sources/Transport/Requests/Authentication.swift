import Files

/// A method of client authentication (RFC 9110, section 11).
///
/// Its descriptions do not contain the secrets.
public enum Authentication: Sendable, Hashable {
    /// User name and password in every request, without encryption of their own (RFC 7617). Over FTP, the login.
    case basic(user: String, password: String)
    /// User name and password as a digest of the server's challenge (RFC 7616). The first request of each load is
    /// therefore sent twice.
    case digest(user: String, password: String)
    /// A token in every request (RFC 6750).
    case bearer(token: String)
    /// A signature of each request (AWS Signature Version 4), for S3 and compatible services.
    case awsSigV4(AWSSignature)
    /// User name and password for the URL's host from a `.netrc` file, by default the one in the user's home folder.
    case netrc(path: String? = nil)

    /// True if the client waits for the server's challenge, so that the first response may be one.
    var isChallenged: Bool {
        if case .digest = self { return true }
        return false
    }

    /// The reason that this cannot be sent; nil if it can.
    var refusal: TransportError? {
        switch self {
        case .basic(let user, let password), .digest(let user, let password):
            if user.containsASCII(":") {
                return TransportError(.protocol, "an HTTP user name must not contain a colon")
            }
            return Self.isText(user) && Self.isText(password)
                ? nil : TransportError(.protocol, "the user name or password contains a control character")
        case .bearer(let token):
            return Self.isText(token) && !token.isEmpty
                ? nil : TransportError(.protocol, "the bearer token is empty or contains a control character")
        case .awsSigV4(let signature):
            let credentials = signature.credentials
            let texts = [
                signature.region, signature.service, credentials.accessKey, credentials.secretKey,
            ]
            return (texts + [credentials.sessionToken ?? ""]).allSatisfy(Self.isText)
                && !texts.contains("") && !texts.prefix(2).contains { $0.containsASCII(":") }
                ? nil
                : TransportError(
                    .protocol,
                    "a part of the AWS credentials is empty or contains a control character"
                )
        case .netrc: return nil
        }
    }

    private static func isText(_ text: String) -> Bool {
        !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method without its secrets.
    public var description: String {
        switch self {
        case .basic: "basic"
        case .digest: "digest"
        case .bearer: "bearer"
        case .awsSigV4: "awsSigV4"
        case .netrc: "netrc"
        }
    }

    /// The method without its secrets.
    public var debugDescription: String { description }

    /// Empty, so that `dump` prints only the method.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .enum) }
}

/// A certificate that a client presents to TLS servers on request.
///
/// Its descriptions do not contain the password.
public struct ClientCertificate: Sendable, Hashable {
    /// The path of the certificate: PKCS #12 if it ends in `.p12` or `.pfx`, otherwise PEM.
    public var certificate: String
    /// The path of the private key in PEM; nil if the certificate's file contains it.
    public var key: String?
    /// The password of the private key.
    public var password: String?

    /// Creates a certificate from files.
    public init(certificate: String, key: String? = nil, password: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.password = password
    }

    /// The type of the certificate's file, in libcurl's terms.
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

    /// The paths, so that `dump` does not print the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["certificate": certificate, "key": key as Any], displayStyle: .struct)
    }
}
