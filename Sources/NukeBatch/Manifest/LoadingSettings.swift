/// How originals are loaded, from all hosts or from one.
public struct LoadingSettings: Sendable, Equatable {
    /// Transfers at the same time.
    public var concurrency = 16
    /// Transfers at the same time from one host.
    public var perHost = 6
    /// Requests to one host, the most that is ever tried.
    public var rate = Rate(count: 80, seconds: 1)
    /// Requests that one host may get at once after a pause.
    public var burst = 25
    /// Without a byte.
    public var timeout = Duration.seconds(60)
    /// Until the connection is there.
    public var connectTimeout = Duration.seconds(10)
    /// From the first connection to the last byte.
    public var totalTimeout = Duration.seconds(600)
    /// Redirects in a row.
    public var maxRedirects = 5
    /// Bytes of an original.
    public var maxBytes = 100_000_000
    /// Bytes a second of all transfers together, or of one host; nil for no limit.
    public var bandwidth: Int?
    /// How originals are asked for.
    public var method = Method.get
    /// Sent with every request, variables expanded; never stored.
    public var headers: [String: String] = [:]
    /// The `User-Agent`; nil for the program's own.
    public var userAgent: String?
    /// What proves to the origin who asks; never stored.
    public var authorization: Authorization?
    /// All settings of the hosts that the manifest names, by `host` or `host:port` in lower case.
    public var hosts: [String: LoadingSettings] = [:]

    /// The settings for one host: those under `host:port`, else under `host`, else these.
    public func settings(host: String, port: Int?) -> LoadingSettings {
        let host = host.lowercased()
        return port.flatMap { hosts["\(host):\($0)"] } ?? hosts[host] ?? self
    }

    /// How originals are asked for.
    public enum Method: String, Sendable, CaseIterable {
        /// With their bytes.
        case get = "GET"
        /// Without them: what stands between here and the origin is to load them, and nothing is kept here.
        case head = "HEAD"
    }

    init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.loading) else { return }
        read(fields)
        for (host, node) in fields["hosts"]?.members() ?? [] {
            if host.isEmpty || host.contains(where: { "/@ \t".contains($0) }) {
                node.report("\(ManifestNode.quoted(host)) is no host: write it like \"cdn.example.com\"")
            }
            guard let fields = node.fields(.hostLoading) else { continue }
            var settings = self
            settings.hosts = [:]
            settings.read(fields)
            hosts[host.lowercased()] = settings
        }
    }

    /// Sets what `fields` say and leaves the rest as it is.
    private mutating func read(_ fields: Fields) {
        concurrency = fields["concurrency"]?.integer(1...1024) ?? concurrency
        perHost = fields["perHost"]?.integer(1...1024) ?? perHost
        rate = fields["rate"]?.rate() ?? rate
        burst = fields["burst"]?.integer(1...1_000_000) ?? burst
        timeout = fields["timeout"]?.duration() ?? timeout
        connectTimeout = fields["connectTimeout"]?.duration() ?? connectTimeout
        totalTimeout = fields["totalTimeout"]?.duration() ?? totalTimeout
        maxRedirects = fields["maxRedirects"]?.integer(0...50) ?? maxRedirects
        maxBytes = fields["maxBytes"]?.size() ?? maxBytes
        if let node = fields["headers"] {
            let written = node.headers()
            let names = Set(written.keys.map { $0.lowercased() })
            headers = headers.filter { !names.contains($0.key.lowercased()) }
            for (name, text) in written { headers[name] = node.reading.shared.variables.expanded(text) }
        }
        userAgent = fields["userAgent"]?.headerText() ?? userAgent
        authorization = fields["auth"].map(Authorization.init) ?? authorization
        method = fields["method"]?.choice(Method.self) ?? method
        bandwidth = fields["bandwidth"]?.size() ?? bandwidth
    }
}
