public import Foundation

/// A key that a store knows, or that a service of credentials issues.
public struct AccessKey: Sendable, Equatable {
    /// The name of the key.
    public var accessKeyID: String
    /// The secret.
    public var secretAccessKey: String
    /// The token that every request must carry; nil for a key that does not end.
    public var sessionToken: String?
    /// The time, by the store's clock, from which requests are refused with `ExpiredToken`; nil for none.
    public var expiration: Date?

    /// Creates a key.
    public init(
        accessKeyID: String,
        secretAccessKey: String,
        sessionToken: String? = nil,
        expiration: Date? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }
}
