import Foundation

extension LoadingSettings {
    /// Credentials for an origin.
    public enum Authorization: Sendable, Equatable {
        /// A token (RFC 6750).
        case bearer(String)
        /// A user and a password (RFC 7617).
        case basic(user: String, password: String)
        /// The host's entry in the user's `.netrc`.
        case netrc
        /// A signature of each request (AWS Signature Version 4).
        case awsSigV4(AWSKeys)
    }

    /// The keys that sign requests to AWS and compatible services.
    public struct AWSKeys: Sendable, Equatable {
        /// The region, as `eu-central-1`.
        public let region: String
        /// The service, as `s3`.
        public let service: String
        /// The id of the key.
        public let accessKey: String
        /// The key; where the manifest has none, that of the environment (`AWS_SECRET_ACCESS_KEY`).
        public let secretKey: String
        /// The token of a session with temporary keys.
        public let sessionToken: String?

        /// Creates keys.
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
}

extension LoadingSettings.Authorization {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.authorization) else { return nil }
        guard fields.count == 1 else {
            node.report("should have one key: \"bearer\", \"basic\", \"netrc\" or \"awsSigV4\"")
            return nil
        }
        if let token = fields[AuthorizationKeys.bearer] {
            self = .bearer(token)
        } else if let basic = fields[AuthorizationKeys.basic]?.fields(.basic) {
            self.init(basic: basic)
        } else if let netrc = fields[AuthorizationKeys.netrc] {
            guard netrc.bool() == true else {
                netrc.report("should be true: write true, or remove \"auth\"")
                return nil
            }
            self = .netrc
        } else if let keys = fields[AuthorizationKeys.awsSigV4]?.fields(.awsSigV4) {
            self.init(keys: keys)
        } else {
            return nil
        }
    }

    private init?(basic: Fields) {
        guard let user = basic[BasicKeys.user], let password = basic[BasicKeys.password] else { return nil }
        if user.utf8.contains(UInt8(ascii: ":")) {
            basic.node(BasicKeys.user)?.report(
                "holds a colon, which basic authentication cannot send: remove it"
            )
        }
        self = .basic(user: user, password: password)
    }

    private init?(keys: Fields) {
        let environment = ProcessInfo.processInfo.environment[Manifest.secretKeyVariable]
        let secretKey = keys[AWSSignatureKeys.secretKey] ?? environment
        if secretKey == nil, keys.node(AWSSignatureKeys.secretKey) == nil {
            keys.owner.report(
                "\"secretKey\" is missing: add it, or set AWS_SECRET_ACCESS_KEY in the environment"
            )
        }
        guard let region = keys[AWSSignatureKeys.region], let service = keys[AWSSignatureKeys.service],
            let accessKey = keys[AWSSignatureKeys.accessKey], let secretKey
        else { return nil }
        for (key, text) in [(AWSSignatureKeys.region, region), (AWSSignatureKeys.service, service)]
        where text.isEmpty || text.utf8.contains(UInt8(ascii: ":")) {
            keys.node(key)?.report(
                "is empty or holds a colon: write a name such as \(key.description.example.text)"
            )
        }
        self = .awsSigV4(
            LoadingSettings.AWSKeys(
                region: region,
                service: service,
                accessKey: accessKey,
                secretKey: secretKey,
                sessionToken: keys[AWSSignatureKeys.sessionToken]
            )
        )
    }
}

extension Manifest {
    /// The variable of the secret key, where `auth` has none.
    package static let secretKeyVariable = "AWS_SECRET_ACCESS_KEY"
}

extension ManifestNode {
    /// A string for a header of a request, expanded.
    func headerText() -> String? {
        guard let text = expandedString() else { return nil }
        if !Self.isHeaderValue(text) { report("holds a line break or another control character: remove it") }
        return text
    }
}
