import Files
import Foundation

/// The secrets of credentials, in the forms in which an answer or a log may repeat them.
extension Authentication {
    /// Those of this method; none of a `.netrc` file, which libcurl reads.
    package var secrets: [String] {
        switch self {
        case .basic(let user, let password), .digest(let user, let password):
            Self.secrets(ofUser: user, password: password)
        case .bearer(let token): [token]
        case .awsSigV4(let signature):
            [signature.credentials.secretKey, signature.credentials.sessionToken].compactMap { $0 }
        case .netrc: []
        }
    }

    /// Returns the password before the host of a URL, and its form in a request's header.
    ///
    /// A user without a password is a token.
    package static func secrets(inURL url: String) -> [String] {
        // Nearly no URL has one, and to look for a byte is much quicker.
        guard url.containsASCII("@"), let parts = URLComponents(string: url) else { return [] }
        let (user, password) = (parts.user ?? "", parts.password ?? "")
        guard password.isEmpty else { return secrets(ofUser: user, password: password) }
        return user.isEmpty ? [] : [user, Data("\(user):".utf8).base64EncodedString()]
    }

    /// Returns a password, and its form in a request's header (RFC 7617).
    private static func secrets(ofUser user: String, password: String) -> [String] {
        [password, Data("\(user):\(password)".utf8).base64EncodedString()]
    }
}
