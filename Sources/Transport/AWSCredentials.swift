/// Credentials for signing requests to AWS services.
///
/// Its descriptions do not contain the secrets.
public struct AWSCredentials: Sendable, Hashable {
    /// The region, such as `eu-central-1`.
    public var region: String
    /// The service, such as `s3`.
    public var service: String
    /// The access key id.
    public var accessKey: String
    /// The secret access key.
    public var secretKey: String
    /// The session token of temporary credentials.
    public var sessionToken: String?

    /// Credentials for one service in one region.
    public init(
        region: String,
        service: String,
        accessKey: String,
        secretKey: String,
        sessionToken: String? = nil
    ) {
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The region and service.
    public var description: String { "\(region)/\(service)" }

    /// The region and service.
    public var debugDescription: String { description }

    /// The region and service, so that `dump` prints no keys.
    public var customMirror: Mirror {
        Mirror(self, children: ["region": region, "service": service], displayStyle: .struct)
    }
}
