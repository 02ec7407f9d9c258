import Files
import ObjectStorage
import Transport

/// The settings of loading, from all hosts or from one.
public struct LoadingSettings: Sendable, Equatable {
    /// Transfers at the same time.
    public var concurrency = LoadingKeys.concurrency.standard
    /// Transfers at the same time from one host.
    public var perHost = 6 { didSet { isPerHostChosen = true } }
    /// Requests to one host, the most that is ever tried.
    public var rate = Rate(count: 80, seconds: 1) { didSet { isRateChosen = true } }
    /// Requests that one host may get at once after a pause.
    public var burst = LoadingKeys.burst.standard
    /// The longest time without receiving a byte.
    public var timeout = LoadingKeys.timeout.standard
    /// The longest time to establish a connection.
    public var connectTimeout = LoadingKeys.connectTimeout.standard
    /// The longest time from the first connection to the last byte.
    public var totalTimeout = LoadingKeys.totalTimeout.standard
    /// Redirects in a row.
    public var maxRedirects = LoadingKeys.maxRedirects.standard
    /// Bytes of an original.
    public var maxBytes = LoadingKeys.maxBytes.standard
    /// Bytes a second of all transfers together, or of one host; nil for no limit.
    public var bandwidth: Int?
    /// The method of requests.
    public var method = LoadingKeys.method.standard
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
        let host = HostName.comparable(host)
        return port.flatMap { hosts["\(host):\($0)"] } ?? hosts[host] ?? self
    }

    /// The method of requests.
    public enum Method: String, Sendable, CaseIterable {
        /// Loads the bytes.
        case get = "GET"
        /// Loads no bytes: a CDN loads them from the origin, and nothing is kept here.
        case head = "HEAD"
    }

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.loading) else { return }
        read(fields)
        for (host, node) in fields.node(LoadingKeys.hosts)?.members() ?? [] {
            if !Self.isHost(host) {
                node.report("\(ManifestNode.quoted(host)) is not a host: write it like \"cdn.example.com\"")
            }
            guard let fields = node.fields(.hostLoading) else { continue }
            var settings = self
            settings.hosts = [:]
            settings.read(fields)
            hosts[Self.comparable(host)] = settings
        }
    }

    /// True for `host` or `host:port`, without zeros before the port.
    private static func isHost(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.allSatisfy({ !"/@ \t".utf8.contains($0) }) else { return false }
        let parts = text.parts(at: ":")
        // More colons are those of an IPv6 address.
        guard parts.count < 3 else { return true }
        let isName = text.utf8.allSatisfy { $0 < 0x80 } || (try? HostName.canonical(parts[0].utf8)) != nil
        guard isName, parts.count == 2 else { return isName }
        return !parts[1].isEmpty && ItemURL.isAuthority(Array("//\(comparable(text))".utf8))
    }

    /// `host` or `host:port` in the one spelling that requests are compared by.
    private static func comparable(_ text: String) -> String {
        let parts = text.parts(at: ":")
        guard parts.count == 2 else { return HostName.comparable(text) }
        return "\(HostName.comparable(String(parts[0]))):\(parts[1])"
    }

    /// Sets the values in `fields` and keeps the others.
    private mutating func read(_ fields: Fields) {
        concurrency = fields[LoadingKeys.concurrency] ?? concurrency
        if let chosen = fields[LoadingKeys.perHost] { perHost = chosen }
        if let chosen = fields[LoadingKeys.rate] { rate = chosen }
        burst = fields[LoadingKeys.burst] ?? burst
        timeout = fields[LoadingKeys.timeout] ?? timeout
        connectTimeout = fields[LoadingKeys.connectTimeout] ?? connectTimeout
        totalTimeout = fields[LoadingKeys.totalTimeout] ?? totalTimeout
        maxRedirects = fields[LoadingKeys.maxRedirects] ?? maxRedirects
        maxBytes = fields[LoadingKeys.maxBytes] ?? maxBytes
        if let node = fields.node(LoadingKeys.headers), let written = fields[LoadingKeys.headers] {
            let names = Set(written.keys.map { $0.lowercased() })
            headers = headers.filter { !names.contains($0.key.lowercased()) }
            for (name, text) in written { headers[name] = node.reading.shared.variables.expanded(text) }
        }
        userAgent = fields[LoadingKeys.userAgent] ?? userAgent
        authorization = fields[LoadingKeys.auth].map(Authorization.init) ?? authorization
        method = fields[LoadingKeys.method] ?? method
        bandwidth = fields[LoadingKeys.bandwidth] ?? bandwidth
    }
}
