import Synchronization

/// The services on 127.0.0.1 from which programs get credentials.
///
/// They are the instance metadata service (version 2 only), the container credentials endpoint, and AssumeRoleWithWebIdentity
/// of STS. Each issues ``credential`` by the rules of AWS's documentation, and refuses requests that break them. All members
/// may be used from any thread.
public final class LoopbackMetadataService: Sendable {
    /// The HTTP server.
    public let server: LoopbackServer
    private let services: CredentialServices

    /// Starts the services.
    /// - Parameters:
    ///   - credential: The credential that all of them issue.
    ///   - roleName: The role of the instance; nil for an instance without one.
    ///   - containerToken: The value that the container endpoint wants in `Authorization`; nil for none.
    ///   - webIdentityToken: The token that STS accepts; nil for none.
    /// - Throws: ``SocketError`` if no port is available.
    public init(
        credential: AccessKey,
        roleName: String? = "photos-role",
        containerToken: String? = nil,
        webIdentityToken: String? = nil
    ) throws {
        let services = CredentialServices(
            CredentialServices.State(
                credential: credential,
                roleName: roleName,
                containerToken: containerToken,
                webIdentityToken: webIdentityToken
            )
        )
        self.services = services
        server = try LoopbackServer(handler: services.respond)
    }

    /// The credential that the next request gets.
    public var credential: AccessKey {
        get { services.state.withLock { $0.credential } }
        set { services.state.withLock { $0.credential = newValue } }
    }

    /// The response instead of the right one, asked for before each request; nil for the right one.
    ///
    /// Called on the connection's thread.
    public var fault: @Sendable (LoopbackServer.Request) -> LoopbackServer.Response? {
        get { services.state.withLock { $0.fault } }
        set { services.state.withLock { $0.fault = newValue } }
    }

    /// The address of the instance metadata service, for `AWS_EC2_METADATA_SERVICE_ENDPOINT`.
    public var metadataEndpoint: String { server.address }

    /// The URL of the container's credentials, for `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
    public var containerURL: String { server.address + CredentialServices.containerPath }

    /// The address of STS, for `AWS_ENDPOINT_URL_STS`.
    public var tokenServiceEndpoint: String { server.address }

    /// All requests so far, in order of arrival.
    public var requests: [LoopbackServer.Request] { server.requests }

    /// Ends all session tokens of the instance metadata service, as after their time.
    public func endSessions() {
        services.state.withLock { $0.sessions = [] }
    }
}
