import SQLite

/// A request that a run sent: a row of the network log.
public struct RequestRecord: Hashable, Sendable {
    /// The duration of each phase, in microseconds; nil if it did not happen or is unknown.
    public struct Phases: Hashable, Sendable {
        /// The wait for its turn.
        public var blocked: Int?
        /// The lookup of the host's name.
        public var dns: Int?
        /// The connection, including TLS.
        public var connect: Int?
        /// The TLS handshake.
        public var tls: Int?
        /// The wait from the connection to the first byte of the response.
        public var wait: Int
        /// The time from the first byte to the last.
        public var receive: Int

        /// Describes the phases of one request.
        public init(blocked: Int?, dns: Int?, connect: Int?, tls: Int?, wait: Int, receive: Int) {
            self.blocked = blocked
            self.dns = dns
            self.connect = connect
            self.tls = tls
            self.wait = wait
            self.receive = receive
        }
    }

    /// The run that sent it; 0 before it is stored.
    public internal(set) var runID: Int64 = 0
    /// The load that it belongs to: a request and its redirects have the same number within a run.
    public let load: Int64
    /// The number of redirects that led to it.
    public let redirects: Int
    /// The time when it began to wait for its turn, in milliseconds since 1970.
    public let started: Int64
    /// The method, such as `GET`.
    public let method: String
    /// The URL without secrets.
    public let url: String
    /// The header, one field per line, without secrets.
    public let requestHeaders: String
    /// The size of the request's head in bytes.
    public let requestHeadBytes: Int?
    /// The HTTP status; nil without a response.
    public let status: Int?
    /// The header, one field per line, without secrets.
    public let responseHeaders: String
    /// The size in bytes of the response's head and of its body.
    public let responseHeadBytes: Int?, responseBodyBytes: Int
    /// The protocol, such as `HTTP/2`; empty if unknown.
    public let protocolName: String
    /// The address of the server; empty without a connection.
    public let address: String
    /// True if it used a connection that an earlier request had opened; nil if unknown.
    public let isConnectionReused: Bool?
    /// The duration of its phases.
    public let phases: Phases
    /// The reason of a failure; nil if it succeeded.
    public let error: String?

    /// Describes a request.
    public init(
        load: Int64,
        redirects: Int = 0,
        started: Int64,
        method: String = "GET",
        url: String,
        requestHeaders: String = "",
        requestHeadBytes: Int? = nil,
        status: Int?,
        responseHeaders: String = "",
        responseHeadBytes: Int? = nil,
        responseBodyBytes: Int = 0,
        protocolName: String = "",
        address: String = "",
        isConnectionReused: Bool? = nil,
        phases: Phases,
        error: String? = nil
    ) {
        self.load = load
        self.redirects = redirects
        self.started = started
        self.method = method
        self.url = url
        self.requestHeaders = requestHeaders
        self.requestHeadBytes = requestHeadBytes
        self.status = status
        self.responseHeaders = responseHeaders
        self.responseHeadBytes = responseHeadBytes
        self.responseBodyBytes = responseBodyBytes
        self.protocolName = protocolName
        self.address = address
        self.isConnectionReused = isConnectionReused
        self.phases = phases
        self.error = error
    }
}

extension RequestRecord {
    static let columns = """
        run_id, load, redirects, started_ms, method, url, request_headers, request_head_bytes, status, \
        response_headers, response_head_bytes, bytes, protocol, peer_ip, is_reused, blocked_us, dns_us, connect_us, \
        tls_us, wait_us, receive_us, error
        """

    /// The values of the columns.
    func values(run: Int64) -> [any StoredValue] {
        [
            run, load, redirects, started, method, url, requestHeaders, requestHeadBytes, status,
            responseHeaders, responseHeadBytes, responseBodyBytes, protocolName, address,
            isConnectionReused.map { $0 ? 1 : 0 }, phases.blocked, phases.dns, phases.connect, phases.tls,
            phases.wait, phases.receive, error,
        ]
    }

    init(_ row: Statement) {
        self.init(
            load: row["load"],
            redirects: row["redirects"],
            started: row["started_ms"],
            method: row["method"],
            url: row["url"],
            requestHeaders: row["request_headers"],
            requestHeadBytes: row["request_head_bytes"],
            status: row["status"],
            responseHeaders: row["response_headers"],
            responseHeadBytes: row["response_head_bytes"],
            responseBodyBytes: row["bytes"],
            protocolName: row["protocol"],
            address: row["peer_ip"],
            isConnectionReused: row["is_reused"],
            phases: Phases(
                blocked: row["blocked_us"],
                dns: row["dns_us"],
                connect: row["connect_us"],
                tls: row["tls_us"],
                wait: row["wait_us"],
                receive: row["receive_us"]
            ),
            error: row["error"]
        )
        runID = row["run_id"]
    }
}
