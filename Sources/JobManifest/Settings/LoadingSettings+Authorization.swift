import Files
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
        /// The variable of the secret key, where `auth` has none.
        package static let secretKeyVariable = "AWS_SECRET_ACCESS_KEY"

        /// The region, as `eu-central-1`.
        public var region = ""
        /// The service, as `s3`.
        public var service = ""
        /// The id of the key.
        public var accessKey = ""
        /// The key; where the manifest has none, that of the environment (`AWS_SECRET_ACCESS_KEY`).
        public var secretKey = ""
        /// The token of a session with temporary keys.
        public var sessionToken: String?

        /// Creates keys.
        public init(
            region: String,
            service: String,
            accessKey: String,
            secretKey: String,
            sessionToken: String? = nil
        ) {
            (self.region, self.service) = (region, service)
            (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
        }
    }
}

extension LoadingSettings.Authorization {
    static let section = ManifestSection(
        "authorization",
        title: "auth",
        about: [
            "`auth` has exactly one of these keys. Keep secrets in the environment and write `${NAME}`; nuke-batch never stores their values."
        ],
        example: .setting(#""loading": {"hosts": {"images.example.com": {"auth": {"netrc": true}}}}"#),
        keys: [
            AuthorizationKeys.bearer, AuthorizationKeys.basic, AuthorizationKeys.netrc,
            AuthorizationKeys.awsSigV4,
        ],
        rules: ["minProperties": 1, "maxProperties": 1]
    )

    static let basicSection = ManifestSection("basic", keys: [BasicKeys.user, BasicKeys.password])

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(Self.section) else { return nil }
        guard fields.count == 1 else {
            node.report("should have one key: \"bearer\", \"basic\", \"netrc\" or \"awsSigV4\"")
            return nil
        }
        if let token = fields[AuthorizationKeys.bearer] {
            self = .bearer(token)
        } else if let basic = fields[AuthorizationKeys.basic]?.fields(Self.basicSection) {
            self.init(basic: basic)
        } else if let netrc = fields[AuthorizationKeys.netrc] {
            guard netrc.bool() == true else {
                netrc.report("should be true: write true, or remove \"auth\"")
                return nil
            }
            self = .netrc
        } else if let keys = fields[AuthorizationKeys.awsSigV4] {
            self = .awsSigV4(keys)
        } else {
            return nil
        }
    }

    private init?(basic: Fields) {
        guard let user = basic[BasicKeys.user], let password = basic[BasicKeys.password] else { return nil }
        if user.containsASCII(":") {
            basic.node(BasicKeys.user)?.report(
                "holds a colon, which basic authentication cannot send: remove it"
            )
        }
        self = .basic(user: user, password: password)
    }

    /// The credentials as a manifest writes them.
    fileprivate var json: CanonicalJSON {
        switch self {
        case .bearer(let token): ["bearer": .string(token)]
        case .basic(let user, let password):
            ["basic": ["user": .string(user), "password": .string(password)]]
        case .netrc: ["netrc": true]
        case .awsSigV4(let keys): ["awsSigV4": keys.json]
        }
    }
}

extension KeyKind where Value == LoadingSettings.Authorization {
    static var authorization: Self {
        KeyKind("object", schema: JSONSchema.section(Value.section), read: Value.init, write: \.json)
    }
}

/// The keys of `auth`.
private enum AuthorizationKeys {
    static let bearer = KeyName("bearer", "A bearer token (RFC 6750).")
        .synonyms(["token", "oauth"])
        .holds(.headerText, example: "${TOKEN}")
    static let basic = KeyName("basic", "A user and a password (RFC 7617).")
        .holds(
            .object(LoadingSettings.Authorization.basicSection),
            example: ["user": "shop", "password": "${PASSWORD}"]
        )
    static let netrc = KeyName("netrc", "The host's entry in the user's `.netrc`.")
        .holds(.custom("`true`", schema: ["const": true]), example: true)
    static let awsSigV4 = KeyName("awsSigV4", "Signs each request with AWS Signature Version 4.")
        .synonyms(["aws", "s3", "sigv4"])
        .holds(
            .object(LoadingSettings.AWSKeys.self),
            example: ["region": "eu-central-1", "service": "s3", "accessKey": "${AWS_ACCESS_KEY_ID}"]
        )
}

/// The keys of `basic`.
private enum BasicKeys {
    static let user = KeyName("user", "The user, without a colon.")
        .synonyms(["username", "login"])
        .holds(.headerText, default: .required, example: "shop")
    static let password = KeyName("password", "The password.")
        .synonyms(["pass", "secret"])
        .holds(.headerText, default: .required, example: "${PASSWORD}")
}

extension LoadingSettings.AWSKeys: ManifestObject {
    static let standard = LoadingSettings.AWSKeys(region: "", service: "", accessKey: "", secretKey: "")
    static let section = ManifestSection("awsSigV4", keys: keys)
    static let keys: [BoundKey<Self>] = [
        KeyName("region", "The region.")
            .sets(\.region, as: name(such: "eu-central-1"), default: .required, example: "eu-central-1"),
        KeyName("service", "The service.")
            .sets(\.service, as: name(such: "s3"), default: .required, example: "s3"),
        KeyName("accessKey", "The id of the access key.")
            .synonyms(["accessKeyId", "key", "id"])
            .sets(\.accessKey, as: .headerText, default: .required, example: "${AWS_ACCESS_KEY_ID}"),
        KeyName("secretKey", "The secret access key.")
            .synonyms(["secretAccessKey", "secret"])
            .sets(
                \.secretKey,
                as: .headerText,
                default: .described("`${AWS_SECRET_ACCESS_KEY}`"),
                example: "${AWS_SECRET_ACCESS_KEY}"
            ),
        KeyName("sessionToken", "The session token of temporary credentials.")
            .synonyms(["token"])
            .sets(\.sessionToken, as: .headerText, example: "${AWS_SESSION_TOKEN}"),
    ]

    /// A part of what is signed, whose parts are divided by colons.
    private static func name(such example: String) -> KeyKind<String> {
        .text { node in
            guard let text = node.headerText() else { return nil }
            if text.isEmpty || text.containsASCII(":") {
                node.report("is empty or holds a colon: write a name such as \"\(example)\"")
            }
            return text
        }
    }

    mutating func check(_ fields: Fields) {
        guard fields.node("secretKey") == nil else { return }
        if let key = ProcessInfo.processInfo.environment[Self.secretKeyVariable] {
            secretKey = key
        } else {
            fields.owner.report(
                "\"secretKey\" is missing: add it, or set AWS_SECRET_ACCESS_KEY in the environment"
            )
        }
    }
}
