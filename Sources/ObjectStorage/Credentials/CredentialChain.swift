import Foundation
public import Transport

/// The sources of credentials in the order in which AWS's own tools search them: the environment, the shared files, the
/// container, the web identity, and the instance.
///
/// Source: AWS SDKs and Tools Reference Guide, "Standardized credential providers". The first source that is set up is used;
/// if it fails, no other one is tried, so that a job never runs with credentials that nobody meant.
public struct CredentialChain: CredentialProviding {
    static let nothingFound = CredentialError(
        """
        no AWS credentials were found in the environment, the shared files, a container's role or an instance's role: \
        set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket set storage.s3.anonymous to true
        """
    )

    private let sources: [any CredentialProviding]

    /// Creates the chain of an environment.
    /// - Parameters:
    ///   - environment: The variables, such as `AWS_PROFILE`.
    ///   - region: The region of the security token service; nil for that of the environment.
    public init(environment: [String: String], region: String? = nil) {
        // A variable without a value is one that is not set, as in AWS's own tools: Compose and Kubernetes pass on such ones.
        let environment = environment.filter { !$0.value.isEmpty }
        let client = MetadataClient()
        let tokens = SecurityTokenService(environment, region: region, client)
        sources = [
            EnvironmentCredentials(environment: environment),
            SharedFileCredentials(environment, tokens),
            ContainerCredentials(environment: environment, client: client),
            WebIdentityCredentials(environment, tokens),
            InstanceCredentials(environment, client),
        ]
    }

    /// Returns the credentials of the first source that is set up.
    public func credentials() async throws(CredentialError) -> AWSCredentials? {
        for source in sources {
            if let found = try await source.credentials() { return found }
        }
        return nil
    }
}

/// The credentials in variables of the environment.
struct EnvironmentCredentials: CredentialProviding {
    let environment: [String: String]

    func credentials() async throws(CredentialError) -> AWSCredentials? {
        let accessKey = environment["AWS_ACCESS_KEY_ID"] ?? ""
        let secretKey = environment["AWS_SECRET_ACCESS_KEY"] ?? ""
        if accessKey.isEmpty, secretKey.isEmpty { return nil }
        guard !accessKey.isEmpty, !secretKey.isEmpty else {
            let missing = accessKey.isEmpty ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"
            throw CredentialError("the environment has only one half of an AWS key: set \(missing), too")
        }
        let token = environment["AWS_SESSION_TOKEN"] ?? ""
        return AWSCredentials(
            accessKey: accessKey,
            secretKey: secretKey,
            sessionToken: token.isEmpty ? nil : token
        )
    }
}
