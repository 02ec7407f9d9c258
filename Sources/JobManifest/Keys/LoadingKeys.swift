/// The keys of `loading`, all but `hosts` also of each host.
enum LoadingKeys {
    static let concurrency = Key(
        "concurrency",
        .integer(1...1024),
        default: 16,
        summary: "The maximum number of concurrent transfers.",
        example: 32,
        synonyms: ["parallel", "parallelism", "connections", "workers", "jobs"]
    )
    static let perHost = Key(
        "perHost",
        .integer(1...1024),
        default: .described("`6`; for a bucket `concurrency`"),
        summary: "The maximum number of concurrent transfers from one host or bucket.",
        example: 2,
        synonyms: ["maxPerHost", "connectionsPerHost"]
    )
    static let rate = Key(
        "rate",
        .rate,
        default: .described("`80/s`; for a bucket `3000/s`"),
        summary: "The maximum rate of requests to one host or bucket, including redirects and retries.",
        example: "20/s",
        synonyms: ["rateLimit", "requestsPerSecond", "rps", "throttle"]
    )
    static let burst = Key(
        "burst",
        .integer(1...1_000_000),
        default: 25,
        summary: "The maximum number of requests sent to one host at once after a pause.",
        example: 5
    )
    static let bandwidth = Key(
        "bandwidth",
        .size,
        summary:
            "The maximum number of bytes a second, over all transfers; under `hosts`, over those from that host.",
        example: "10MB",
        synonyms: ["speed", "maxBandwidth", "limitRate"]
    )
    static let timeout = Key(
        "timeout",
        .duration,
        default: "60s",
        summary: "The longest time without receiving a byte.",
        example: "30s",
        synonyms: ["idleTimeout", "readTimeout"]
    )
    static let connectTimeout = Key(
        "connectTimeout",
        .duration,
        default: "10s",
        summary: "The longest time to establish a connection.",
        example: "5s"
    )
    static let totalTimeout = Key(
        "totalTimeout",
        .duration,
        default: "10m",
        summary: "The longest duration of one transfer.",
        example: "2m",
        synonyms: ["maxTime", "deadline"]
    )
    static let maxRedirects = Key(
        "maxRedirects",
        .integer(0...50),
        default: 5,
        summary: "The maximum number of redirects in a row.",
        example: 0,
        synonyms: ["redirects", "followRedirects"]
    )
    static let maxBytes = Key(
        "maxBytes",
        .size,
        default: "100MB",
        summary: "The maximum size of an original.",
        example: "20MB",
        synonyms: ["maxSize", "maxFileSize", "sizeLimit"]
    )
    static let headers = Key(
        "headers",
        .headers,
        default: [:],
        summary: "Headers of every request; nuke-batch never stores their values.",
        example: ["Accept": "image/avif,image/*"],
        synonyms: ["header"]
    )
    static let userAgent = Key(
        "userAgent",
        .headerText,
        default: .described("`nuke-batch/VERSION`"),
        summary: "The `User-Agent` header.",
        example: "example-bot/1.0 (+https://example.com/bot)",
        synonyms: ["agent", "user-agent"]
    )
    static let auth = Key(
        "auth",
        .object(.authorization),
        summary: "Credentials, which do not follow a redirect to another origin; see [auth](#auth).",
        example: ["bearer": "${TOKEN}"],
        synonyms: ["authorization", "authentication", "credentials", "token"]
    )
    static let method = Key(
        "method",
        .choice(LoadingSettings.Method.self, synonyms: ["get": .get, "head": .head]),
        default: .word(LoadingSettings.Method.get),
        summary: "`HEAD` warms a CDN: it loads no bytes and makes no outputs.",
        example: "HEAD",
        synonyms: ["verb"]
    )
    static let hosts = Key(
        "hosts",
        .custom(
            "object of objects",
            schema: [
                "type": "object", "propertyNames": ["pattern": "^[^/@ \\t]+$"],
                "additionalProperties": ManifestSchema.section(.hostLoading),
            ]
        ),
        default: [:],
        summary: "Settings of single hosts, by `host` or `host:port`, with the same keys except `hosts`.",
        example: ["cdn.example.com": ["rate": "200/s"]],
        synonyms: ["host", "perDomain", "domains"]
    )

    fileprivate static let ofEachHost: [any ManifestKey] = [
        concurrency, perHost, rate, burst, bandwidth, timeout, connectTimeout, totalTimeout, maxRedirects,
        maxBytes, headers, userAgent, auth, method,
    ]
}

extension ManifestSection {
    static let loading = ManifestSection(
        "loading",
        title: "loading",
        about: [
            "In any t seconds a host gets at most rate × t + burst requests. A 429 or 503 with `Retry-After` pauses the whole "
                + "host, lowers its rate to what it was seen to allow and costs no attempt. Interrupted downloads are resumed "
                + "with `Range` and `If-Range`, also by a later run.",
            "A host in `hosts` inherits the settings that its own object leaves out.",
        ],
        example: .setting(
            """
            "loading": {
              "concurrency": 32,
              "rate": "20/s",
              "timeout": "30s",
              "headers": {"Accept": "image/*"},
              "hosts": {"cdn.example.com": {"rate": "200/s", "burst": 50}}
            }
            """
        ),
        keys: LoadingKeys.ofEachHost + [LoadingKeys.hosts]
    )

    /// The settings of one host.
    static let hostLoading = ManifestSection(
        "hostLoading",
        title: "Settings of one host",
        keys: LoadingKeys.ofEachHost
    )
}
