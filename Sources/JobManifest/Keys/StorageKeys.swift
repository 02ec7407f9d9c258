/// The keys of `storage`.
enum StorageKeys {
    static let s3 = Key(
        "s3",
        .object(.s3),
        default: [:],
        summary: "The service of `s3://` URLs: Amazon S3, or one that speaks its protocol.",
        example: ["endpoint": "https://minio.example.com:9000"],
        synonyms: ["aws", "minio", "r2"]
    )
}

/// The keys of `storage.s3`.
enum S3Keys {
    static let endpoint = Key(
        "endpoint",
        .expanded,
        default: .described("`AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, otherwise Amazon S3"),
        summary:
            "The address of another service than Amazon S3. It may be a private address, for `s3://` URLs alone.",
        example: "https://minio.example.com:9000",
        synonyms: ["endpointUrl", "endpoint_url", "url", "host"]
    )
    static let region = Key(
        "region",
        .expanded,
        default: .described("`AWS_REGION` or `AWS_DEFAULT_REGION`, otherwise the bucket's own"),
        summary: "The region that requests are signed for.",
        example: "eu-central-1",
        synonyms: ["location"]
    )
    static let pathStyle = Key(
        "pathStyle",
        .bool,
        default: .described("true with an `endpoint`, and for buckets with dots in their names"),
        summary: "True to send the bucket in the URL's path, false to send it in the host's name.",
        example: true,
        synonyms: ["forcePathStyle", "usePathStyle"]
    )
    static let putRate = Key(
        "putRate",
        .rate,
        default: "1000/s",
        summary: "The maximum rate of objects written to one bucket; the service's `SlowDown` lowers it.",
        example: "200/s",
        synonyms: ["writeRate"]
    )
    static let anonymous = Key(
        "anonymous",
        .bool,
        default: false,
        summary: "True to send requests without credentials, for public buckets.",
        example: true,
        synonyms: ["public", "noSignRequest", "unsigned"]
    )
    static let requesterPays = Key(
        "requesterPays",
        .bool,
        default: false,
        summary: "True to agree to pay for requests to buckets whose owners do not.",
        example: true,
        synonyms: ["requestPayer"]
    )
    static let buckets = Key(
        "buckets",
        .custom(
            "array of buckets",
            schema: ManifestSchema.list(of: ManifestSchema.pattern("[0-9A-Za-z._-]{1,255}"))
        ),
        default: [],
        summary:
            "Buckets whose objects the rows of lists and queries may name, besides those that the manifest names elsewhere.",
        example: ["photos", "more-photos"],
        synonyms: ["bucket", "allowedBuckets"]
    )
}

extension ManifestSection {
    static let storage = ManifestSection(
        "storage",
        title: "storage",
        about: [
            "Credentials come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`), the shared files "
                + "(`AWS_PROFILE`), a container's role, a web identity or an instance's role, in this order. They are never "
                + "stored. See [Object storage](object-storage.md)."
        ],
        example: .setting(
            #""storage": {"s3": {"endpoint": "https://minio.example.com:9000", "region": "us-east-1"}}"#
        ),
        keys: [StorageKeys.s3]
    )
    static let s3 = ManifestSection(
        "s3",
        title: "storage.s3",
        keys: [
            S3Keys.endpoint, S3Keys.region, S3Keys.pathStyle, S3Keys.putRate, S3Keys.anonymous,
            S3Keys.requesterPays, S3Keys.buckets,
        ]
    )
}
