import Files
import ObjectStorage
import Transport

/// The settings of loading, from all hosts or from one.
public struct LoadingSettings: ManifestSettings, Sendable, Equatable {
    /// Transfers at the same time.
    public var concurrency = 16
    /// Transfers at the same time from one host.
    public var perHost = 6 { didSet { isPerHostChosen = true } }
    /// Requests to one host, the most that is ever tried.
    public var rate = Rate(count: 80, seconds: 1) { didSet { isRateChosen = true } }
    /// Requests that one host may get at once after a pause.
    public var burst = 25
    /// The longest time without receiving a byte.
    public var timeout = Duration.seconds(60)
    /// The longest time to establish a connection.
    public var connectTimeout = Duration.seconds(10)
    /// The longest time from the first connection to the last byte.
    public var totalTimeout = Duration.seconds(600)
    /// Redirects in a row.
    public var maxRedirects = 5
    /// Bytes of an original.
    public var maxBytes = 100_000_000
    /// Bytes a second of all transfers together, or of one host; nil for no limit.
    public var bandwidth: Int?
    /// The method of requests.
    public var method = Method.get
    /// Headers of every request, variables expanded; never stored.
    public var headers: [String: String] = [:]
    /// The `User-Agent`; nil for the program's own.
    public var userAgent: String?
    /// The credentials; never stored.
    public var authorization: Authorization?
    /// All settings of the hosts that the manifest names, by `host` or `host:port` in lower case.
    ///
    /// In a manifest that is built in code, a host without headers, credentials, `User-Agent` or bandwidth has these.
    public var hosts: [String: LoadingSettings] = [:]

    /// True if `perHost` or `rate` is no default, which buckets of object stores do not share.
    private(set) var (isPerHostChosen, isRateChosen) = (false, false)

    /// The rate at which a bucket is asked for objects if the manifest does not choose one: what Amazon S3 answers for each
    /// prefix is 5,500 a second (Amazon S3 User Guide, "Best practices design patterns").
    private static let bucketRate = Rate(count: 3000, seconds: 1)

    /// Creates the defaults.
    public init() {}

    /// The settings of a bucket that the manifest does not name: those of hosts if it chooses them, otherwise higher ones.
    package var ofBuckets: LoadingSettings {
        var settings = self
        if !isRateChosen { settings.rate = Self.bucketRate }
        if !isPerHostChosen { settings.perHost = concurrency }
        return settings
    }

    /// The settings of the listing of a bucket: those of buckets, but as many requests at a time as a listing can use, since
    /// each is small and nothing else is loaded meanwhile.
    package var ofListings: LoadingSettings {
        var settings = ofBuckets
        if !isPerHostChosen { settings.perHost = max(perHost, ParallelListing.width) }
        return settings
    }

    /// The settings for one host: those under `host:port`, else under `host`, else these.
    public func settings(host: String, port: Int?) -> LoadingSettings {
        guard !hosts.isEmpty else { return self }
        let host = HostName.comparable(host)
        return port.flatMap { hosts["\(host):\($0)"] } ?? hosts[host] ?? self
    }

    /// The settings for one host by its name in a job: a name or an address, with `:port` behind it unless that is the scheme's own, or
    /// `s3://bucket`.
    package func settings(named name: String) -> LoadingSettings {
        ownSettings(named: name) ?? (name.hasPrefix("s3://") ? ofBuckets : self)
    }

    /// The settings that the manifest chooses for one host by its name in a job; nil if it is as the others.
    package func ownSettings(named name: String) -> LoadingSettings? {
        HostName.entry(for: name, in: hosts)
    }

    /// The method of requests.
    public enum Method: String, Sendable, CaseIterable {
        /// Loads the bytes.
        case get = "GET"
        /// Loads no bytes: a CDN loads them from the origin, and nothing is kept here.
        case head = "HEAD"
    }

    /// Reads the settings of hosts, which inherit those that their own object leaves out.
    private mutating func readHosts(_ node: ManifestNode) {
        var written: [String: String] = [:]
        for (host, node) in node.members() ?? [] {
            if !Self.isHost(host) {
                node.report("\(CanonicalJSON.quoted(host)) is not a host: write it like \"cdn.example.com\"")
            }
            let name = HostName.comparablePlace(host)
            if let other = written.updateValue(host, forKey: name), other != host {
                node.report("is \(CanonicalJSON.quoted(other)) in another spelling: write the host once")
            }
            guard let fields = node.fields(Self.hostSection) else { continue }
            var settings = self
            settings.hosts = [:]
            settings.read(fields)
            hosts[name] = settings
        }
    }

    /// True for `host` or `host:port`, without zeros before the port.
    private static func isHost(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.allSatisfy({ !"/@ \t".utf8.contains($0) }) else { return false }
        let (host, port) = HostName.parts(of: text)
        if host.containsASCII(":") {
            guard IPAddress(HostName.comparable(host)) != nil else { return false }
            return port.map { ItemURL.isAuthority(Array("//[::1]:\($0)".utf8)) && !$0.isEmpty } ?? true
        }
        let isName = text.utf8.allSatisfy { $0 < 0x80 } || (try? HostName.canonical(host.utf8)) != nil
        guard isName, let port else { return isName }
        return !port.isEmpty && ItemURL.isAuthority(Array("//\(HostName.comparablePlace(text))".utf8))
    }

    /// Adds headers, which replace those of the same names in any case.
    private mutating func override(_ written: [String: String]) {
        let names = Set(written.keys.map { $0.lowercased() })
        headers = headers.filter { !names.contains($0.key.lowercased()) }
        headers.merge(written) { $1 }
    }
}

extension LoadingSettings: ManifestObject {
    static let standard = LoadingSettings()
    static let section = ManifestSection(
        "loading",
        about: [
            "In any t seconds a host gets at most rate × t + burst requests. A 429 or 503 with `Retry-After` pauses the whole "
                + "host, lowers its rate to what it was seen to allow and costs no attempt; an item that is refused after 20 pauses "
                + "fails. Interrupted downloads are resumed with `Range` and `If-Range`, also by a later run.",
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
        keys: keys
    )

    /// The settings of one host.
    static let hostSection = ManifestSection("hostLoading", title: "Settings of one host", keys: keysOfHosts)

    static let keys: [BoundKey<Self>] = keysOfHosts + [hostsKey]

    private static let keysOfHosts: [BoundKey<Self>] = [
        KeyName("concurrency", "The maximum number of concurrent transfers.")
            .synonyms(["parallel", "parallelism", "connections", "workers", "jobs"])
            .sets(\.concurrency, as: .integer(1...1024), example: 32),
        KeyName("perHost", "The maximum number of concurrent transfers from one host or bucket.")
            .synonyms(["maxPerHost", "connectionsPerHost"])
            .sets(as: .integer(1...1024), default: .described("`6`; for a bucket `concurrency`"), example: 2)
        {
            $0.isPerHostChosen ? $0.perHost : nil
        } set: {
            $0.perHost = $1
        },
        KeyName(
            "rate",
            "The maximum rate of requests to one host or bucket, including redirects and retries."
        )
        .synonyms(["rateLimit", "requestsPerSecond", "rps", "throttle"])
        .sets(as: .rate, default: .described("`80/s`; for a bucket `3000/s`"), example: "20/s") {
            $0.isRateChosen ? $0.rate : nil
        } set: {
            $0.rate = $1
        },
        KeyName("burst", "The maximum number of requests sent to one host at once after a pause.")
            .sets(\.burst, as: .integer(1...1_000_000), example: 5),
        KeyName(
            "bandwidth",
            "The maximum number of bytes a second, over all transfers; under `hosts`, over those from that host."
        )
        .synonyms(["speed", "maxBandwidth", "limitRate"])
        .sets(\.bandwidth, as: .size, example: "10MB"),
        KeyName("timeout", "The longest time without receiving a byte.")
            .synonyms(["idleTimeout", "readTimeout"])
            .sets(\.timeout, as: .duration, example: "30s"),
        KeyName("connectTimeout", "The longest time to establish a connection.")
            .sets(\.connectTimeout, as: .duration, example: "5s"),
        KeyName("totalTimeout", "The longest duration of one transfer.")
            .synonyms(["maxTime", "deadline"])
            .sets(\.totalTimeout, as: .duration, example: "2m"),
        KeyName("maxRedirects", "The maximum number of redirects in a row.")
            .synonyms(["redirects", "followRedirects"])
            .sets(\.maxRedirects, as: .integer(0...50), example: 0),
        KeyName("maxBytes", "The maximum size of an original.")
            .synonyms(["maxSize", "maxFileSize", "sizeLimit"])
            .sets(\.maxBytes, as: .size, example: "20MB"),
        KeyName("headers", "Headers of every request; nuke-batch never stores their values.")
            .synonyms(["header"])
            .sets(as: .expandedHeaders, default: [:], example: ["Accept": "image/avif,image/*"]) {
                $0.headers
            } set: {
                $0.override($1)
            },
        KeyName("userAgent", "The `User-Agent` header.")
            .synonyms(["agent", "user-agent"])
            .sets(
                \.userAgent,
                as: .headerText,
                default: .described("`nuke-batch/VERSION`"),
                example: "example-bot/1.0 (+https://example.com/bot)"
            ),
        KeyName("auth", "Credentials, which do not follow a redirect to another origin; see [auth](#auth).")
            .synonyms(["authorization", "authentication", "credentials", "token"])
            .sets(\.authorization, as: .authorization, example: ["bearer": "${TOKEN}"]),
        KeyName("method", "`HEAD` warms a CDN: it loads no bytes and makes no outputs.")
            .synonyms(["verb"])
            .sets(
                \.method,
                as: .choice(Method.self, synonyms: ["get": .get, "head": .head]),
                example: "HEAD"
            ),
    ]

    private static let hostsKey: BoundKey<Self> = KeyName(
        "hosts",
        "Settings of single hosts, by `host` or `host:port`, with the same keys except `hosts`."
    )
    .synonyms(["host", "perDomain", "domains"])
    .reads(
        "object of objects",
        schema: [
            "type": "object", "propertyNames": ["pattern": "^[^/@ \\t]+$"],
            "additionalProperties": JSONSchema.section(hostSection),
        ],
        default: [:],
        example: ["cdn.example.com": ["rate": "200/s"]]
    ) { node, settings in
        settings.readHosts(node)
    } write: { settings in
        settings.hosts.isEmpty ? .null : .object(settings.hosts.mapValues(\.json))
    }
}
