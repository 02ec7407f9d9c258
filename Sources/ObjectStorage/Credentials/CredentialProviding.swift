public import Transport

/// A source of AWS credentials.
public protocol CredentialProviding: Sendable {
    /// Returns the credentials; nil if this source is not set up.
    /// - Throws: ``CredentialError`` if it is set up, but does not give credentials.
    func credentials() async throws(CredentialError) -> AWSCredentials?
}

/// Credentials that are missing or cannot be renewed.
public struct CredentialError: Error, Sendable, CustomStringConvertible {
    /// The failure and its remedy.
    public let description: String

    /// Creates an error; control characters of `description`, which may come from a server, are replaced.
    public init(_ description: String) {
        self.description = TransportError.printable(description)
    }
}

/// Credentials that are known beforehand.
public struct FixedCredentials: CredentialProviding {
    private let value: AWSCredentials

    /// Creates a source of `credentials`.
    public init(_ credentials: AWSCredentials) {
        value = credentials
    }

    /// Returns the credentials.
    public func credentials() async throws(CredentialError) -> AWSCredentials? { value }
}
