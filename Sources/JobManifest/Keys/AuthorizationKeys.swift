/// The keys of `auth`.
enum AuthorizationKeys {
    static let bearer = Key(
        "bearer",
        .headerText,
        summary: "A bearer token (RFC 6750).",
        example: "${TOKEN}",
        synonyms: ["token", "oauth"]
    )
    static let basic = Key(
        "basic",
        .object(.basic),
        summary: "A user and a password (RFC 7617).",
        example: ["user": "shop", "password": "${PASSWORD}"]
    )
    static let netrc = Key(
        "netrc",
        .custom("`true`", schema: ["const": true]),
        summary: "The host's entry in the user's `.netrc`.",
        example: true
    )
    static let awsSigV4 = Key(
        "awsSigV4",
        .object(.awsSigV4),
        summary: "Signs each request with AWS Signature Version 4.",
        example: ["region": "eu-central-1", "service": "s3", "accessKey": "${AWS_ACCESS_KEY_ID}"],
        synonyms: ["aws", "s3", "sigv4"]
    )
}

/// The keys of `basic`.
enum BasicKeys {
    static let user = Key(
        "user",
        .headerText,
        default: .required,
        summary: "The user, without a colon.",
        example: "shop",
        synonyms: ["username", "login"]
    )
    static let password = Key(
        "password",
        .headerText,
        default: .required,
        summary: "The password.",
        example: "${PASSWORD}",
        synonyms: ["pass", "secret"]
    )
}

/// The keys of `awsSigV4`.
enum AWSSignatureKeys {
    static let region = Key(
        "region",
        .headerText,
        default: .required,
        summary: "The region.",
        example: "eu-central-1"
    )
    static let service = Key(
        "service",
        .headerText,
        default: .required,
        summary: "The service.",
        example: "s3"
    )
    static let accessKey = Key(
        "accessKey",
        .headerText,
        default: .required,
        summary: "The id of the access key.",
        example: "${AWS_ACCESS_KEY_ID}",
        synonyms: ["accessKeyId", "key", "id"]
    )
    static let secretKey = Key(
        "secretKey",
        .headerText,
        default: .described("`${AWS_SECRET_ACCESS_KEY}`"),
        summary: "The secret access key.",
        example: "${AWS_SECRET_ACCESS_KEY}",
        synonyms: ["secretAccessKey", "secret"]
    )
    static let sessionToken = Key(
        "sessionToken",
        .headerText,
        summary: "The session token of temporary credentials.",
        example: "${AWS_SESSION_TOKEN}",
        synonyms: ["token"]
    )
}

extension ManifestSection {
    static let authorization = ManifestSection(
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

    static let basic = ManifestSection("basic", title: "basic", keys: [BasicKeys.user, BasicKeys.password])

    static let awsSigV4 = ManifestSection(
        "awsSigV4",
        title: "awsSigV4",
        keys: [
            AWSSignatureKeys.region, AWSSignatureKeys.service, AWSSignatureKeys.accessKey,
            AWSSignatureKeys.secretKey, AWSSignatureKeys.sessionToken,
        ]
    )
}
