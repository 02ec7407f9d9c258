import Files
public import Foundation
import FoundationNetworking
public import Transport

extension NetworkLog {
    /// One transfer, or one load of a loader that does not report its transfers.
    public struct Entry: Sendable {
        /// The source of an answer, as far as the log can tell.
        public enum Source: String, Sendable, Hashable {
            /// From the network.
            case network
            /// From a cache, after the server confirmed that nothing has changed (304).
            case revalidated
            /// From a cache, without a transfer.
            case cache
        }

        /// The number of the request: its attempts and redirects share it.
        public let request: UInt64
        /// The number of the attempt, from 1.
        public internal(set) var attempt = 1
        /// The number of redirects before it.
        public let redirects: Int
        /// The time at which it began to wait for its turn.
        public let start: Date
        /// The method, as `GET`.
        public let method: String
        /// The URL, redacted.
        public let url: String
        /// The header fields of the request, redacted; without what libcurl adds.
        public let requestHeaders: [TransferRequest.Header]
        /// The size of the request's head in bytes, as sent; nil if unknown.
        public let requestHeadBytes: Int?
        /// The bytes of the request's body.
        public let requestBodyBytes: Int
        /// The status; nil without an answer.
        public let status: Int?
        /// The header fields of the answer, redacted.
        public let responseHeaders: [TransferRequest.Header]
        /// The size of the response's head in bytes; nil if unknown.
        public let responseHeadBytes: Int?
        /// The bytes of the answer's body.
        public let responseBodyBytes: Int
        /// The protocol, such as `HTTP/2`; empty if unknown.
        public let protocolName: String
        /// The address of the server; empty if unknown.
        public let address: String
        /// True if a connection was reused; nil if unknown.
        public let isConnectionReused: Bool?
        /// The source of the answer.
        public let source: Source
        /// The duration of each phase.
        public let timings: Timings
        /// The error; nil for success.
        public let error: String?

        /// Creates an entry from recorded values, which are not redacted again.
        public init(
            request: UInt64,
            attempt: Int = 1,
            redirects: Int,
            start: Date,
            method: String,
            url: String,
            requestHeaders: [TransferRequest.Header],
            requestHeadBytes: Int?,
            requestBodyBytes: Int,
            status: Int?,
            responseHeaders: [TransferRequest.Header],
            responseHeadBytes: Int?,
            responseBodyBytes: Int,
            protocolName: String,
            address: String,
            isConnectionReused: Bool?,
            source: Source,
            timings: Timings,
            error: String?
        ) {
            self.request = request
            self.attempt = attempt
            self.redirects = redirects
            self.start = start
            self.method = method
            self.url = url
            self.requestHeaders = requestHeaders
            self.requestHeadBytes = requestHeadBytes
            self.requestBodyBytes = requestBodyBytes
            self.status = status
            self.responseHeaders = responseHeaders
            self.responseHeadBytes = responseHeadBytes
            self.responseBodyBytes = responseBodyBytes
            self.protocolName = protocolName
            self.address = address
            self.isConnectionReused = isConnectionReused
            self.source = source
            self.timings = timings
            self.error = error
        }

        /// The approximate memory of the entry, in bytes.
        var cost: Int {
            (requestHeaders + responseHeaders).reduce(512 + url.utf8.count) {
                $0 + 64 + $1.name.utf8.count + $1.value.utf8.count
            }
        }
    }

    /// The phases of a transfer (HAR 1.2); nil where a phase did not happen, or is not known.
    public struct Timings: Sendable, Hashable {
        /// Waiting for the host's rate limit and a slot.
        public var blocked: Duration?
        /// The DNS lookup.
        public var dns: Duration?
        /// Connecting, TLS included.
        public var connect: Duration?
        /// The TLS handshake.
        public var ssl: Duration?
        /// From the connection to the first byte of the answer, sending the request included: libcurl does not
        /// say when it was sent.
        public var wait: Duration = .zero
        /// From the first byte of the answer to its last.
        public var receive: Duration = .zero

        /// Creates timings without known phases.
        public init() {}

        /// The sum of all phases.
        public var total: Duration {
            (blocked ?? .zero) + (dns ?? .zero) + (connect ?? .zero) + wait + receive
        }
    }
}

extension NetworkLog.Entry {
    /// Creates the redacted entry of a transfer.
    public init(_ record: TransferRecord, _ redaction: NetworkLog.Redaction) {
        let metrics = record.metrics
        var redaction = redaction.hiding(secretsOf: record.request)
        // The request of a redirect may lack what the first one had.
        if record.redirects > 0 { redaction = redaction.hiding(secretsOf: record.first) }
        request = record.watch ?? record.load
        redirects = record.redirects
        start = record.start - record.blocked / .seconds(1)
        method = record.request.method
        url = redaction.redacted(url: record.request.url)
        requestHeaders = redaction.redacted(requestHeaders: record.request.headers)
        requestHeadBytes = metrics.requestBytes
        requestBodyBytes = record.request.body?.count ?? 0
        status = record.head?.status
        responseHeaders = redaction.redacted(record.head?.headers ?? [])
        responseHeadBytes = metrics.headBytes
        responseBodyBytes = metrics.bodyBytes
        protocolName = metrics.protocolName
        address = metrics.peerAddress
        isConnectionReused = metrics.isConnectionReused
        source = record.head?.status == 304 ? .revalidated : .network
        timings = NetworkLog.Timings(metrics, blocked: record.blocked)
        error = record.error.map { redaction.hidden($0.message) }
    }
}

extension NetworkLog.Timings {
    init(_ metrics: TransferMetrics, blocked: Duration) {
        self.blocked = blocked
        var connected: Duration = .zero
        if !metrics.isConnectionReused, metrics.connect > .zero {
            connected = max(metrics.connect, metrics.tls)
            dns = metrics.nameLookup
            connect = connected - metrics.nameLookup
            ssl = metrics.tls > .zero ? metrics.tls - metrics.connect : nil
        }
        // Without an answer all the rest was waiting.
        let first = metrics.firstByte > .zero ? max(metrics.firstByte, connected) : metrics.total
        wait = max(first - connected, .zero)
        receive = max(metrics.total - first, .zero)
    }
}
