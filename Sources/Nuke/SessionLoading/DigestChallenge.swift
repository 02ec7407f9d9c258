import Files
import Foundation

/// A challenge of the Digest scheme, and the answer to it (RFC 7616); `auth-int` is not supported.
struct DigestChallenge {
    private let digest: Digest
    private let algorithm: String?
    private let realm: String
    private let nonce: String
    private let opaque: String?
    private let hasQuality: Bool
    /// True if only the nonce is too old, so that the same credential is worth another try.
    let isStale: Bool

    /// True for a digest that is not MD5.
    var isStrong: Bool { digest != .md5 }

    /// Reads a challenge; nil if it is of another scheme, or of a kind that is not supported.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"]
        else { return nil }
        switch parameters["algorithm"]?.lowercased() {
        case nil, "md5", "md5-sess": digest = .md5
        case "sha-256", "sha-256-sess": digest = .sha256
        default: return nil
        }
        let qualities = parameters["qop"]?.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard qualities?.contains("auth") != false else { return nil }
        (self.realm, self.nonce, opaque) = (realm, nonce, parameters["opaque"])
        algorithm = parameters["algorithm"]
        hasQuality = qualities != nil
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// Answers the challenge.
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - method: The method of the request, such as `GET`.
    ///   - uri: The path and the query of the request, as they are sent.
    ///   - clientNonce: A random text of the client.
    /// - Returns: The value of `Authorization`; nil if a name cannot stand in a header field.
    func authorization(
        user: String,
        password: String,
        method: String,
        uri: String,
        clientNonce: String = UUID().uuidString
    ) -> String? {
        var secret = digest.hex(of: "\(user):\(realm):\(password)")
        if algorithm?.lowercased().hasSuffix("-sess") == true {
            secret = digest.hex(of: "\(secret):\(nonce):\(clientNonce)")
        }
        let action = digest.hex(of: "\(method):\(uri)")
        let quality = hasQuality ? "00000001:\(clientNonce):auth:" : ""
        let response = digest.hex(of: "\(secret):\(nonce):\(quality)\(action)")

        var fields = [
            ("username", Self.quoted(user)), ("realm", Self.quoted(realm)), ("nonce", Self.quoted(nonce)),
            ("uri", Self.quoted(uri)), ("response", Self.quoted(response)),
        ]
        if let algorithm { fields.append(("algorithm", algorithm)) }
        if hasQuality {
            fields += [("qop", "auth"), ("nc", "00000001"), ("cnonce", Self.quoted(clientNonce))]
        }
        if let opaque { fields.append(("opaque", Self.quoted(opaque))) }
        let text = "Digest " + fields.map { "\($0.0)=\($0.1)" }.joined(separator: ", ")
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
            .replacingOccurrences(of: "\"", with: "\\\"")
        return "\"" + escaped + "\""
    }
}
