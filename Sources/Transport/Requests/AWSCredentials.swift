public import Foundation

/// The keys of an AWS account or role, or of an account at a compatible service.
///
/// Its descriptions do not contain the secrets.
public struct AWSCredentials: Sendable, Hashable {
    /// The access key id.
    public var accessKey: String
    /// The secret access key.
    public var secretKey: String
    /// The session token of temporary credentials.
    public var sessionToken: String?
    /// The time at which temporary credentials end; nil for those without an end.
    public var expiration: Date?

    /// Creates credentials from their parts.
    public init(accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Date? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of credentials.
    public var description: String { sessionToken == nil ? "AWS credentials" : "temporary AWS credentials" }

    /// The kind of credentials.
    public var debugDescription: String { description }

    /// The expiration, so that `dump` prints no keys.
    public var customMirror: Mirror {
        Mirror(self, children: ["expiration": expiration as Any], displayStyle: .struct)
    }
}

/// The parameters of a request's signature with AWS Signature Version 4.
///
/// Its descriptions do not contain the secrets.
public struct AWSSignature: Sendable, Hashable {
    /// The keys that sign.
    public var credentials: AWSCredentials
    /// The region, such as `eu-central-1`.
    public var region: String
    /// The service, such as `s3`.
    public var service: String
    /// The seconds by which the service's clock is ahead of the local one.
    public var clockOffset: TimeInterval
    /// SHA-256 of the body in hexadecimal, if it is known; otherwise it is computed when the request is sent.
    package var bodySHA256: String?

    /// Creates the parameters for one service in one region.
    public init(
        _ credentials: AWSCredentials,
        region: String,
        service: String,
        clockOffset: TimeInterval = 0
    ) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.clockOffset = clockOffset
    }
}

extension AWSSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The region and service.
    public var description: String { "\(region)/\(service)" }

    /// The region and service.
    public var debugDescription: String { description }

    /// The region and service, so that `dump` prints no keys.
    public var customMirror: Mirror {
        Mirror(self, children: ["region": region, "service": service], displayStyle: .struct)
    }
}

extension AWSSignature {
    /// Returns `url` with a signature in its query, with which anybody can send `method` for `seconds`, at most 604,800.
    ///
    /// Source: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters".
    package func presigned(_ method: String, _ url: String, seconds: Int) -> String {
        SignatureV4(self).presigned(method, url, seconds: seconds)
    }
}
