import Foundation
import Transport

/// The AWS Security Token Service, which gives temporary credentials for a role.
///
/// Source: AWS Security Token Service API Reference, "AssumeRole" and "AssumeRoleWithWebIdentity".
struct SecurityTokenService: Sendable {
    private let endpoint: String
    private let region: String
    private let client: MetadataClient

    init(_ environment: [String: String], region: String?, _ client: MetadataClient) {
        let own = SharedFiles(environment).settings["region"]
        self.region =
            region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? own ?? "us-east-1"
        let domain = self.region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        endpoint = environment["AWS_ENDPOINT_URL_STS"] ?? "https://sts.\(self.region).\(domain)"
        self.client = client
    }

    /// Returns credentials for a role, for which a token of a web identity vouches.
    /// - Throws: ``CredentialError`` for a token that cannot be read or is refused.
    func credentials(
        ofRole role: String,
        session: String,
        tokenFile: String
    ) async throws(CredentialError) -> AWSCredentials {
        guard let token = FileManager.default.contents(atPath: tokenFile), token.count <= 1 << 16 else {
            throw CredentialError("the web identity token \(tokenFile) cannot be read")
        }
        let text = String(decoding: token, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let request = request([
            ("Action", "AssumeRoleWithWebIdentity"), ("RoleArn", role), ("RoleSessionName", session),
            ("WebIdentityToken", text), ("Version", "2011-06-15"),
        ])
        return try await credentials(from: request)
    }

    /// Returns credentials for a role that the owner of `keys` may take.
    /// - Throws: ``CredentialError`` if it may not.
    func credentials(
        ofRole role: String,
        session: String,
        keys: AWSCredentials,
        externalID: String?
    ) async throws(CredentialError) -> AWSCredentials {
        var form = [
            ("Action", "AssumeRole"), ("RoleArn", role), ("RoleSessionName", session),
            ("Version", "2011-06-15"),
        ]
        if let externalID { form.append(("ExternalId", externalID)) }
        var request = request(form)
        request.authentication = .awsSigV4(AWSSignature(keys, region: region, service: "sts"))
        return try await credentials(from: request)
    }

    private func request(_ form: [(String, String)]) -> TransferRequest {
        let body = form.map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        return TransferRequest(
            forCredentials: endpoint + "/",
            method: "POST",
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Data(body.utf8),
            seconds: 10
        )
    }

    private func credentials(from request: TransferRequest) async throws(CredentialError) -> AWSCredentials {
        let data = try await client.send(request, for: "the AWS security token service (\(endpoint))")
        let result = XMLElement(data)?.children.first { $0.name.hasSuffix("Result") }
        guard let found = result?["Credentials"], let accessKey = found["AccessKeyId"]?.text,
            let secretKey = found["SecretAccessKey"]?.text, let token = found["SessionToken"]?.text
        else {
            throw CredentialError("the AWS security token service answered something other than credentials")
        }
        return AWSCredentials(
            accessKey: accessKey,
            secretKey: secretKey,
            sessionToken: token,
            expiration: (found["Expiration"]?.text).flatMap(CredentialDocument.date)
        )
    }
}

/// The credentials of a role for which a token in a file vouches, as Kubernetes provides it.
struct WebIdentityCredentials: CredentialProviding {
    private let tokenFile: String?
    private let role: String?
    private let session: String
    private let tokens: SecurityTokenService

    init(_ environment: [String: String], _ tokens: SecurityTokenService) {
        tokenFile = environment["AWS_WEB_IDENTITY_TOKEN_FILE"]
        role = environment["AWS_ROLE_ARN"]
        session = environment["AWS_ROLE_SESSION_NAME"] ?? "nuke-batch"
        self.tokens = tokens
    }

    func credentials() async throws(CredentialError) -> AWSCredentials? {
        guard let tokenFile, let role else { return nil }
        return try await tokens.credentials(ofRole: role, session: session, tokenFile: tokenFile)
    }
}
