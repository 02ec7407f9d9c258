import ObjectStorage

/// The services of object storage that a job uses.
public struct StorageSettings: ManifestSettings, Sendable, Equatable {
    /// The service of `s3:` URLs.
    public var s3 = S3Settings()

    /// Creates the defaults: AWS, with the region and the endpoint of the environment.
    public init() {}
}

extension StorageSettings: ManifestObject {
    static let standard = StorageSettings()
    static let section = ManifestSection(
        "storage",
        about: [
            "Credentials come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`), the shared files "
                + "(`AWS_PROFILE`), a container's role, a web identity or an instance's role, in this order. They are never "
                + "stored. See [Object storage](object-storage.md)."
        ],
        example: .setting(
            #""storage": {"s3": {"endpoint": "https://minio.example.com:9000", "region": "us-east-1"}}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("s3", "The service of `s3://` URLs: Amazon S3, or one that speaks its protocol.")
            .synonyms(["aws", "minio", "r2"])
            .sets(
                \.s3,
                as: .object(S3Settings.self),
                default: [:],
                example: ["endpoint": "https://minio.example.com:9000"]
            )
    ]
}

/// The address of a service that speaks the protocol of Amazon S3, and the forms of requests to it.
public struct S3Settings: ManifestSettings, Sendable, Equatable {
    /// The address of a service other than AWS; nil for that of the environment, or AWS.
    public var endpoint: String?
    /// The region; nil for that of the environment, or for that which the service names.
    public var region: String?
    /// True to send buckets in paths, false to send them in host names; nil for the service's usual form.
    public var usesPathStyle: Bool?
    /// The most objects that are written to one bucket in a time.
    public var putRate = Rate(count: 1000, seconds: 1)
    /// True to send no signatures.
    public var isAnonymous = false
    /// True to pay for requests to buckets of others.
    public var paysForRequests = false

    /// The buckets whose objects rows may name, besides those that the manifest names elsewhere.
    public var buckets: Set<String> = []

    /// Creates the defaults.
    public init() {}

    private static func bucket(_ node: ManifestNode) -> String? {
        guard let name = node.expandedString() else { return nil }
        if let problem = ObjectLocation.problem(ofBucket: name) {
            node.report("\(CanonicalJSON.quoted(name)): \(problem); write the name alone, such as \"photos\"")
        }
        return name
    }

    /// Text that a configuration takes, as it writes it.
    private static func configured(
        _ read: @escaping @Sendable (String) throws(S3ConfigurationError) -> String?
    ) -> KeyKind<String> {
        .text { node in
            guard let text = node.expandedString() else { return nil }
            do throws(S3ConfigurationError) {
                return try read(text)
            } catch {
                node.report(error.description)
                return nil
            }
        }
    }
}

extension S3Settings: ManifestObject {
    static let standard = S3Settings()
    static let section = ManifestSection("s3", title: "storage.s3", keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "endpoint",
            "The address of another service than Amazon S3. It may be a private address, for `s3://` URLs alone."
        )
        .synonyms(["endpointUrl", "endpoint_url", "url", "host"])
        .sets(
            \.endpoint,
            as: configured { text throws(S3ConfigurationError) in
                try S3Configuration(endpoint: text).endpoint
            },
            default: .described("`AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, otherwise Amazon S3"),
            example: "https://minio.example.com:9000"
        ),
        KeyName("region", "The region that requests are signed for.")
            .synonyms(["location"])
            .sets(
                \.region,
                as: configured { text throws(S3ConfigurationError) in
                    try S3Configuration(region: text).region
                },
                default: .described("`AWS_REGION` or `AWS_DEFAULT_REGION`, otherwise the bucket's own"),
                example: "eu-central-1"
            ),
        KeyName(
            "pathStyle",
            "True to send the bucket in the URL's path, false to send it in the host's name."
        )
        .synonyms(["forcePathStyle", "usePathStyle"])
        .sets(
            \.usesPathStyle,
            as: .bool,
            default: .described(
                "true with an `endpoint`, and for buckets with dots, capitals or underscores in their names"
            ),
            example: true
        ),
        KeyName(
            "putRate",
            "The maximum rate of objects written to one bucket; the service's `SlowDown` lowers it."
        )
        .synonyms(["writeRate"])
        .sets(\.putRate, as: .rate, example: "200/s"),
        KeyName("anonymous", "True to send requests without credentials, for public buckets.")
            .synonyms(["public", "noSignRequest", "unsigned"])
            .sets(\.isAnonymous, as: .bool, example: true),
        KeyName("requesterPays", "True to agree to pay for requests to buckets whose owners do not.")
            .synonyms(["requestPayer"])
            .sets(\.paysForRequests, as: .bool, example: true),
        KeyName(
            "buckets",
            "Buckets whose objects the rows of lists and queries may name, besides those that the manifest names elsewhere."
        )
        .synonyms(["bucket", "allowedBuckets"])
        .sets(
            \.buckets,
            as: .set(
                of: .text(schema: JSONSchema.pattern("[0-9A-Za-z._-]{1,255}"), read: bucket),
                "array of buckets"
            ),
            example: ["photos", "more-photos"]
        ),
    ]
}
