import Foundation
import Synchronization

/// AssumeRoleWithWebIdentity (AWS Security Token Service API Reference), by GET or as a form by POST.
extension CredentialServices {
    private static let namespace = "https://sts.amazonaws.com/doc/2011-06-15/"

    func tokenService(_ request: Request) -> Response {
        let (credential, expected) = state.withLock { ($0.credential, $0.webIdentityToken) }
        let query = request.method == "POST" ? String(decoding: request.body, as: UTF8.self) : request.query
        guard let parameters = QueryParameters(query: query) else {
            return Self.error("MalformedQueryString", "The query string contains a syntax error")
        }
        guard parameters["Action"] == "AssumeRoleWithWebIdentity", parameters["Version"] == "2011-06-15"
        else { return Self.error("InvalidAction", "Could not find operation for version") }
        guard let role = parameters["RoleArn"], role.hasPrefix("arn:aws:iam::"),
            let session = parameters["RoleSessionName"], (2...64).contains(session.utf8.count)
        else {
            return Self.error(
                "ValidationError",
                "RoleArn and RoleSessionName of 2 to 64 characters are required"
            )
        }
        // The request is not signed: the token alone proves who asks.
        guard let token = parameters["WebIdentityToken"], token == expected else {
            return Self.error("InvalidIdentityToken", "The web identity token is not valid")
        }
        var xml = XMLText(root: "AssumeRoleWithWebIdentityResponse", namespace: Self.namespace)
        xml.add("AssumeRoleWithWebIdentityResult") { xml in
            xml.add("Credentials") { xml in
                xml.add("AccessKeyId", credential.accessKeyID)
                xml.add("SecretAccessKey", credential.secretAccessKey)
                xml.add("SessionToken", optional: credential.sessionToken)
                xml.add("Expiration", optional: credential.expiration.map(SignedDate.instant))
            }
            xml.add("AssumedRoleUser") { xml in
                xml.add("Arn", "\(role)/\(session)")
                xml.add("AssumedRoleId", "AROALOOPBACK:\(session)")
            }
        }
        xml.add("ResponseMetadata") { $0.add("RequestId", "loopback") }
        return Response(headers: [("Content-Type", "text/xml")], body: .data(xml.data))
    }

    private static func error(_ code: String, _ message: String) -> Response {
        var xml = XMLText(root: "ErrorResponse", namespace: namespace)
        xml.add("Error") { xml in
            xml.add("Type", "Sender")
            xml.add("Code", code)
            xml.add("Message", message)
        }
        xml.add("RequestId", "loopback")
        return Response(status: 400, headers: [("Content-Type", "text/xml")], body: .data(xml.data))
    }
}
