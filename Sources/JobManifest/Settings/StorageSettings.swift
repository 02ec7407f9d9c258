import ObjectStorage

/// The services of object storage that a job uses.
public struct StorageSettings: Sendable, Equatable {
    /// The service of `s3:` URLs.
    public var s3 = S3Settings()

    /// Creates the defaults: AWS, with the region and the endpoint of the environment.
    public init() {}

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.storage) else { return }
        s3 = S3Settings(fields[StorageKeys.s3])
    }
}

/// The address of a service that speaks the protocol of Amazon S3, and the forms of requests to it.
public struct S3Settings: Sendable, Equatable {
    /// The address of a service other than AWS; nil for that of the environment, or AWS.
    public var endpoint: String?
    /// The region; nil for that of the environment, or for that which the service names.
    public var region: String?
    /// True to send buckets in paths, false to send them in host names; nil for the service's usual form.
    public var usesPathStyle: Bool?
    /// The most objects that are written to one bucket in a time.
    public var putRate = S3Keys.putRate.standard
    /// True to send no signatures.
    public var isAnonymous = S3Keys.anonymous.standard
    /// True to pay for requests to buckets of others.
    public var paysForRequests = S3Keys.requesterPays.standard

    /// The buckets whose objects rows may name, besides those that the manifest names elsewhere.
    public var buckets: Set<String> = []

    /// Creates the defaults.
    public init() {}

    init(_ node: ManifestNode?) {
        guard let node, let fields = node.fields(.s3) else { return }
        buckets = Set(fields[S3Keys.buckets]?.elements()?.compactMap(Self.bucket) ?? [])
        if let endpoint = fields[S3Keys.endpoint] {
            do throws(S3ConfigurationError) {
                self.endpoint = try S3Configuration(endpoint: endpoint).endpoint
            } catch {
                fields.node(S3Keys.endpoint)?.report(error.description)
            }
        }
        if let region = fields[S3Keys.region] {
            do throws(S3ConfigurationError) {
                self.region = try S3Configuration(region: region).region
            } catch {
                fields.node(S3Keys.region)?.report(error.description)
            }
        }
        usesPathStyle = fields[S3Keys.pathStyle]
        putRate = fields[S3Keys.putRate] ?? putRate
        isAnonymous = fields[S3Keys.anonymous] ?? isAnonymous
        paysForRequests = fields[S3Keys.requesterPays] ?? paysForRequests
    }

    private static func bucket(_ node: ManifestNode) -> String? {
        guard let name = node.expandedString() else { return nil }
        if let problem = ObjectLocation.problem(ofBucket: name) {
            node.report("\(ManifestNode.quoted(name)): \(problem); write the name alone, such as \"photos\"")
        }
        return name
    }

    /// The settings as a manifest writes them.
    var json: CanonicalJSON {
        [
            "endpoint": endpoint.map(CanonicalJSON.string) ?? .null,
            "region": region.map(CanonicalJSON.string) ?? .null,
            "pathStyle": usesPathStyle.map(CanonicalJSON.bool) ?? .null,
            "putRate": .rate(putRate),
            "anonymous": .bool(isAnonymous),
            "requesterPays": .bool(paysForRequests),
            "buckets": .array(buckets.sorted().map(CanonicalJSON.string)),
        ]
    }
}

extension StorageSettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON { ["s3": s3.json] }
}
