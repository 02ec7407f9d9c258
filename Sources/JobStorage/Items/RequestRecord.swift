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
    public var redirects: Int = 0
    /// The time when it began to wait for its turn, in milliseconds since 1970.
    public let started: Int64
    /// The method, such as `GET`.
    public var method: String = "GET"
    /// The URL without secrets.
    public let url: String
    /// The header, one field per line, without secrets.
    public var requestHeaders: String = ""
    /// The size of the request's head in bytes.
    public var requestHeadBytes: Int?
    /// The HTTP status; nil without a response.
    public let status: Int?
    /// The header, one field per line, without secrets.
    public var responseHeaders: String = ""
    /// The size in bytes of the response's head and of its body.
    public var responseHeadBytes: Int?, responseBodyBytes = 0
    /// The protocol, such as `HTTP/2`; empty if unknown.
    public var protocolName: String = ""
    /// The address of the server; empty without a connection.
    public var address: String = ""
    /// True if it used a connection that an earlier request had opened; nil if unknown.
    public var isConnectionReused: Bool?
    /// The duration of its phases.
    public let phases: Phases
    /// The reason of a failure; nil if it succeeded.
    public var error: String?

    /// Describes a request; `change` sets what else is known of it.
    public init(
        load: Int64,
        started: Int64,
        url: String,
        status: Int?,
        phases: Phases,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        (self.load, self.started, self.url) = (load, started, url)
        (self.status, self.phases) = (status, phases)
        change(&self)
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
        runID = row["run_id"]
        load = row["load"]
        redirects = row["redirects"]
        started = row["started_ms"]
        method = row["method"]
        url = row["url"]
        requestHeaders = row["request_headers"]
        requestHeadBytes = row["request_head_bytes"]
        status = row["status"]
        responseHeaders = row["response_headers"]
        responseHeadBytes = row["response_head_bytes"]
        responseBodyBytes = row["bytes"]
        protocolName = row["protocol"]
        address = row["peer_ip"]
        isConnectionReused = row["is_reused"]
        phases = Phases(
            blocked: row["blocked_us"],
            dns: row["dns_us"],
            connect: row["connect_us"],
            tls: row["tls_us"],
            wait: row["wait_us"],
            receive: row["receive_us"]
        )
        error = row["error"]
    }
}
