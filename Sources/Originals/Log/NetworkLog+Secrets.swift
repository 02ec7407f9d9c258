import Foundation
import Transport

extension NetworkLog.Redaction {
    /// Returns a redaction that also hides the credentials of `request`, which an answer may repeat.
    func hiding(secretsOf request: TransferRequest) -> Self {
        var result = self
        for header in request.headers { result.hide(requestHeader: header.name, header.value) }
        result.hide(Authentication.secrets(inURL: request.url) + (request.authentication?.secrets ?? []))
        return result
    }

    /// Hides a header field of requests wherever it is repeated, unless its value may be shown.
    package mutating func hide(requestHeader name: String, _ value: String) {
        if isHidden(inRequest: name) { hide(Self.secrets(inHeader: value)) }
    }

    private mutating func hide(_ secrets: [String]) {
        for secret in secrets where texts[secret] == nil { texts[secret] = Self.replacement }
    }

    /// Returns a header field's value and its parts: credentials without their scheme (RFC 9110, section 11.4), a user's
    /// password (RFC 7617), and the values of cookies (RFC 6265).
    private static func secrets(inHeader value: String) -> [String] {
        var secrets = [value]
        if let space = value.firstIndex(of: " ") {
            let credentials = String(value[value.index(after: space)...])
            secrets.append(credentials)
            if let decoded = Data(base64Encoded: credentials).map({ String(decoding: $0, as: UTF8.self) }),
                let colon = decoded.firstIndex(of: ":")
            {
                secrets += [decoded, String(decoded[decoded.index(after: colon)...])]
            }
        }
        return secrets
            + value.split(separator: ";").compactMap { pair in
                pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
            }
    }
}
