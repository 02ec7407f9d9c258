import Foundation
import FoundationNetworking

/// The scheme in which a load answers a 401, of those that the server offers.
///
/// Foundation on Linux ends the process for a credential in any scheme but Basic, and leaves a load without an end
/// if there is no credential. So challenges are answered here.
enum LoginScheme {
    /// RFC 7617.
    case basic(realm: String?)
    /// RFC 7616.
    case digest(DigestChallenge, realm: String?)

    /// Chooses the strongest scheme of a response; nil if it offers none that is supported.
    init?(_ response: HTTPURLResponse) {
        guard response.statusCode == 401, let field = response.value(forHTTPHeaderField: "WWW-Authenticate")
        else { return nil }
        let challenges = AuthenticationChallenge.challenges(in: field)
        let digests = challenges.compactMap { challenge in
            DigestChallenge(challenge).map { ($0, challenge.parameters["realm"]) }
        }
        if let (digest, realm) = digests.first(where: { $0.0.isStrong }) ?? digests.first {
            self = .digest(digest, realm: realm)
        } else if let basic = challenges.first(where: { $0.scheme == "basic" }) {
            self = .basic(realm: basic.parameters["realm"])
        } else {
            return nil
        }
    }

    /// True if only the server's nonce is too old.
    var isStale: Bool {
        if case .digest(let digest, _) = self { digest.isStale } else { false }
    }

    /// Returns what a credential is asked for.
    func protectionSpace(of url: URL) -> URLProtectionSpace {
        let (method, realm) =
            switch self {
            case .basic(let realm): (NSURLAuthenticationMethodHTTPBasic, realm)
            case .digest(_, let realm): (NSURLAuthenticationMethodHTTPDigest, realm)
            }
        let scheme = url.scheme?.lowercased()
        return URLProtectionSpace(
            host: url.host ?? "",
            port: url.port ?? (scheme == "https" ? 443 : 80),
            protocol: scheme,
            realm: realm,
            authenticationMethod: method
        )
    }

    /// Returns the value of `Authorization` for a request; nil if the credential cannot be used.
    func authorization(for request: URLRequest, _ credential: URLCredential) -> String? {
        guard let user = credential.user, let password = credential.password else { return nil }
        switch self {
        case .basic:
            guard !user.contains(":") else { return nil }
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .digest(let digest, _):
            guard let url = request.url else { return nil }
            let path = url.path(percentEncoded: true)
            let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
            return digest.authorization(
                user: user,
                password: password,
                method: request.httpMethod ?? "GET",
                uri: (path.isEmpty ? "/" : path) + query
            )
        }
    }
}
