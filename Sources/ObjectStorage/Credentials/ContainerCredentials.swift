import Foundation
import Transport

/// The credentials of a container's role on ECS or EKS.
///
/// Source: AWS SDKs and Tools Reference Guide, "Container credential provider".
struct ContainerCredentials: CredentialProviding {
    /// The service of ECS, and that of EKS with both kinds of addresses: the only ones that may be asked over HTTP besides
    /// this machine.
    private static let allowed: Set<String> = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]

    let environment: [String: String]
    let client: MetadataClient

    func credentials() async throws(CredentialError) -> AWSCredentials? {
        guard let url = try address() else { return nil }
        var headers: [(String, String)] = []
        if let file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] {
            // It is replaced from time to time.
            guard let data = FileManager.default.contents(atPath: file), data.count <= 1 << 16 else {
                throw CredentialError("the container's authorization token \(file) cannot be read")
            }
            let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            headers.append(("Authorization", token))
        } else if let token = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] {
            headers.append(("Authorization", token))
        }
        let request = TransferRequest(forCredentials: url, headers: headers)
        let data = try await client.send(request, for: "the container's credential service")
        return try CredentialDocument.credentials(in: data, of: "the container's credential service")
    }

    private func address() throws(CredentialError) -> String? {
        if let path = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] {
            return "http://169.254.170.2\(path)"
        }
        guard let text = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"] else { return nil }
        let url = URL(string: text)
        let host = HostName.comparable(url?.host ?? "")
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.") && IPAddress(host) != nil
        guard url?.scheme == "https" || url?.scheme == "http" && (isLocal || Self.allowed.contains(host))
        else {
            throw CredentialError(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI names neither https, this machine nor a container service"
            )
        }
        return text
    }
}

/// The credentials of an instance's role, from its metadata service (IMDSv2).
///
/// Source: Amazon EC2 User Guide, "Use the Instance Metadata Service to access instance metadata".
struct InstanceCredentials: CredentialProviding {
    private static let path = "/latest/meta-data/iam/security-credentials/"

    private let endpoint: String
    private let isDisabled: Bool
    private let client: MetadataClient

    init(_ environment: [String: String], _ client: MetadataClient) {
        let mode = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"]?.lowercased()
        let usual = mode == "ipv6" ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
        let written = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? usual
        endpoint = written.hasSuffix("/") ? String(written.dropLast()) : written
        isDisabled = environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() == "true"
        self.client = client
    }

    /// Returns nil on a machine that is no instance, or has no role.
    func credentials() async throws(CredentialError) -> AWSCredentials? {
        guard !isDisabled else { return nil }
        let service = "the instance's metadata service"
        let lifetime = ("X-aws-ec2-metadata-token-ttl-seconds", "21600")
        let tokenRequest = TransferRequest(
            forCredentials: "\(endpoint)/latest/api/token",
            method: "PUT",
            headers: [lifetime]
        )
        guard let token = try? await client.send(tokenRequest, for: service) else { return nil }
        let headers = [("X-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))]
        let roles = try? await client.send(
            TransferRequest(forCredentials: endpoint + Self.path, headers: headers),
            for: service
        )
        guard
            let role = roles.map({ String(decoding: $0, as: UTF8.self) })?.split(whereSeparator: \.isNewline)
                .first
        else { return nil }
        let request = TransferRequest(
            forCredentials: endpoint + Self.path + PercentEncoding.encoded(String(role)),
            headers: headers
        )
        return try CredentialDocument.credentials(in: await client.send(request, for: service), of: service)
    }
}
