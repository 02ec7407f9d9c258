import CTransport

/// The cost and the peer of a transfer.
///
/// For a failed one, the values up to the failure.
public struct TransferMetrics: Sendable {
    /// From the start until the host's addresses were known; zero if there was no lookup.
    public var nameLookup: Duration = .zero
    /// From the start until the TCP connection was established.
    public var connect: Duration = .zero
    /// From the start until the TLS handshake was complete.
    public var tls: Duration = .zero
    /// From the start until the first byte of the response.
    public var firstByte: Duration = .zero
    /// From the start until the end.
    public var total: Duration = .zero
    /// Bytes of the body as received from the network.
    public var bodyBytes = 0
    /// Bytes of the response's status and header fields.
    public var headBytes = 0
    /// Bytes of the request's head.
    public var requestBytes = 0
    /// The address of the peer; empty if there was no connection.
    public var peerAddress = ""
    /// The port of the peer; 0 if there was no connection.
    public var peerPort = 0
    /// `HTTP/1.0`, `HTTP/1.1` or `HTTP/2`; empty if there was no response.
    public var protocolName = ""
    /// True if an existing connection was reused.
    public var isConnectionReused = false

    /// Creates empty metrics, for a request that was never sent.
    public init() {}

    /// Converts libcurl's facts; its times begin `after` the lookup of the host.
    init(_ facts: nb_transfer_facts, after lookup: Duration = .zero) {
        let time: (Int64) -> Duration = { $0 == 0 ? .zero : lookup + .microseconds($0) }
        nameLookup = time(facts.name_lookup)
        connect = time(facts.connect)
        tls = time(facts.tls)
        firstByte = time(facts.first_byte)
        total = lookup + .microseconds(facts.total)
        bodyBytes = Int(facts.body_bytes)
        headBytes = Int(facts.head_bytes)
        requestBytes = Int(facts.request_bytes)
        peerAddress = String(cString: facts.peer_address)
        peerPort = facts.peer_port
        protocolName =
            switch facts.http_version {
            case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
            case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
            case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
            case Int(CURL_HTTP_VERSION_3): "HTTP/3"
            default: ""
            }
        isConnectionReused = facts.opened_connections == 0 && !peerAddress.isEmpty
    }
}
