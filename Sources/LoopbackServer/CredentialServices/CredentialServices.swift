import Foundation
import Synchronization

/// Answers the requests of a ``LoopbackMetadataService`` by their paths.
final class CredentialServices: Sendable {
    typealias Request = LoopbackServer.Request
    typealias Response = LoopbackServer.Response

    struct State: Sendable {
        var credential: AccessKey
        let roleName: String?
        let containerToken: String?
        let webIdentityToken: String?
        var fault: @Sendable (Request) -> Response? = { _ in nil }
        /// The valid session tokens of the instance metadata service.
        var sessions: Set<String> = []
    }

    static let containerPath = "/container/credentials"
    private static let rolesPath = "/latest/meta-data/iam/security-credentials/"

    let state: Mutex<State>

    init(_ state: State) {
        self.state = Mutex(state)
    }

    func respond(to request: Request) -> Response {
        if let fault = state.withLock({ $0.fault })(request) { return fault }
        return switch request.path {
        case "/latest/api/token": beginSession(request)
        case Self.containerPath: container(request)
        case let path where path.hasPrefix("/latest/"): metadata(request)
        case "/", "": tokenService(request)
        default: .status(404)
        }
    }

    /// A session by PUT (Amazon EC2 User Guide, "Use the Instance Metadata Service").
    private func beginSession(_ request: Request) -> Response {
        guard request.method == "PUT" else { return .status(405) }
        // A request that came through a proxy is refused.
        guard request.headers["x-forwarded-for"] == nil else { return .status(403) }
        guard let seconds = request.headers["x-aws-ec2-metadata-token-ttl-seconds"].flatMap({ Int($0) }),
            (1...21_600).contains(seconds)
        else { return .status(400) }
        let token = UUID().uuidString
        state.withLock { _ = $0.sessions.insert(token) }
        return Response(
            headers: [
                ("Content-Type", "text/plain"), ("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", String(seconds)),
            ],
            body: .data(Data(token.utf8))
        )
    }

    private func metadata(_ request: Request) -> Response {
        let (credential, roleName, sessions) = state.withLock { ($0.credential, $0.roleName, $0.sessions) }
        guard request.method == "GET" else { return .status(405) }
        guard let token = request.headers["x-aws-ec2-metadata-token"], sessions.contains(token) else {
            return .status(401)
        }
        guard let roleName else { return .status(404) }
        switch request.path {
        case Self.rolesPath, String(Self.rolesPath.dropLast()):
            return .data(Data(roleName.utf8), type: "text/plain")
        case Self.rolesPath + roleName:
            var fields = Self.fields(of: credential)
            fields["Code"] = "Success"
            fields["Type"] = "AWS-HMAC"
            fields["LastUpdated"] = SignedDate.extended(Date())
            return Self.json(fields)
        default: return .status(404)
        }
    }

    /// Credentials for a container (AWS SDKs and Tools Reference Guide, "Container credential provider").
    private func container(_ request: Request) -> Response {
        let (credential, token) = state.withLock { ($0.credential, $0.containerToken) }
        guard request.method == "GET" else { return .status(405) }
        guard token == nil || request.headers["authorization"] == token else { return .status(401) }
        return Self.json(Self.fields(of: credential))
    }

    private static func fields(of credential: AccessKey) -> [String: String] {
        var fields = [
            "AccessKeyId": credential.accessKeyID, "SecretAccessKey": credential.secretAccessKey,
        ]
        fields["Token"] = credential.sessionToken
        fields["Expiration"] = credential.expiration.map(SignedDate.instant)
        return fields
    }

    private static func json(_ fields: [String: String]) -> Response {
        guard let data = try? JSONEncoder().encode(fields) else { return .status(500) }
        return .data(data, type: "application/json")
    }
}
