/// What signs a request as AWS wants it.
///
/// Nothing that prints it shows what is secret in it.
public struct AWSCredentials: Sendable, Hashable {
    /// The region, as `eu-central-1`.
    public var region: String
    /// The service, as `s3`.
    public var service: String
    /// The id of the key.
    public var accessKey: String
    /// The key.
    public var secretKey: String
    /// The token of a session with temporary keys.
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
    /// Region and service.
    public var description: String { "\(region)/\(service)" }

    /// Region and service.
    public var debugDescription: String { description }

    /// Region and service, so that `dump` shows no key.
    public var customMirror: Mirror {
        Mirror(self, children: ["region": region, "service": service], displayStyle: .struct)
    }
}
