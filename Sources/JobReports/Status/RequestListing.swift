public import Foundation
public import JobManifest
public import JobPlanning
import JobStorage
import Originals
import Transport

/// A request as `log` lists it: a line of `log --json`.
public struct RequestListing: Sendable, Encodable {
    /// The durations of the phases in milliseconds; null for a phase that did not occur or is unknown.
    public struct Timings: Sendable, Encodable {
        @Nullable var blocked: Double?
        @Nullable var dns: Double?
        @Nullable var connect: Double?
        @Nullable var tls: Double?
        let wait, receive: Double
    }

    /// The run that sent it.
    public let run: Int
    /// A number that a request and its redirects share within a run.
    public let load: Int
    /// The number of redirects that led to it.
    public let redirects: Int
    /// The time at which it was queued.
    public let started: String
    /// The method, such as `GET`, and the URL with the values of its query hidden.
    public let method, url: String
    /// The status; null without a response.
    @Nullable public package(set) var status: Int?
    /// The size of the response's body, in bytes.
    public let bytes: Int
    /// The protocol, such as `HTTP/2`; empty if unknown.
    public let `protocol`: String
    /// The address of the server; empty without a connection.
    public let address: String
    /// True if it reused a connection.
    @Nullable public package(set) var reused: Bool?
    /// The durations of its phases.
    public let timings: Timings
    /// The error, if it failed.
    @Nullable public package(set) var error: String?

    /// The total duration of all phases, in milliseconds.
    public var milliseconds: Double {
        [timings.blocked, timings.dns, timings.connect, timings.wait, timings.receive]
            .reduce(0) { $0 + ($1 ?? 0) }
    }

    init(_ record: RequestRecord) {
        run = Int(record.runID)
        load = Int(record.load)
        redirects = record.redirects
        started = Self.date(record).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        method = record.method
        url = record.url
        status = record.status
        bytes = record.responseBodyBytes
        self.protocol = record.protocolName
        address = record.address
        reused = record.isConnectionReused
        let milliseconds = { (phase: Int?) in phase.map { Double($0) / 1000 } }
        timings = Timings(
            blocked: milliseconds(record.phases.blocked),
            dns: milliseconds(record.phases.dns),
            connect: milliseconds(record.phases.connect),
            tls: milliseconds(record.phases.tls),
            wait: Double(record.phases.wait) / 1000,
            receive: Double(record.phases.receive) / 1000
        )
        error = record.error
    }

    fileprivate static func date(_ record: RequestRecord) -> Date {
        Date(timeIntervalSince1970: Double(record.started) / 1000)
    }
}

extension JobState {
    /// Calls `body` with each request of the network log, in the order in which they ended, streamed.
    /// - Throws: `RunError.machine`.
    public func forEachRequest(_ body: (RequestListing) -> Void) throws(RunError) {
        try forEachRecord { body(RequestListing($0)) }
    }

    /// Returns the network log as an HTTP archive (HAR 1.2) for browsers' developer tools.
    /// - Throws: `RunError.machine`.
    public func networkArchive() throws(RunError) -> Data {
        var entries: [NetworkLog.Entry] = []
        try forEachRecord { entries.append(NetworkLog.Entry($0)) }
        return try RunError.wrapping {
            try NetworkLog.har(of: entries, creator: "nuke-batch", version: Version.current)
        }
    }
}

extension NetworkLog.Entry {
    fileprivate init(_ record: RequestRecord) {
        let duration = { (phase: Int?) in phase.map { Duration.microseconds($0) } }
        var timings = NetworkLog.Timings()
        timings.blocked = duration(record.phases.blocked)
        timings.dns = duration(record.phases.dns)
        timings.connect = duration(record.phases.connect)
        timings.ssl = duration(record.phases.tls)
        timings.wait = .microseconds(record.phases.wait)
        timings.receive = .microseconds(record.phases.receive)
        self.init(
            // The number of a load is unique only within its run.
            request: UInt64(clamping: record.runID) << 32 | UInt64(clamping: record.load),
            redirects: record.redirects,
            start: RequestListing.date(record),
            method: record.method,
            url: record.url,
            requestHeaders: Self.headers(record.requestHeaders),
            requestHeadBytes: record.requestHeadBytes,
            requestBodyBytes: 0,
            status: record.status,
            responseHeaders: Self.headers(record.responseHeaders),
            responseHeadBytes: record.responseHeadBytes,
            responseBodyBytes: record.responseBodyBytes,
            protocolName: record.protocolName,
            address: record.address,
            isConnectionReused: record.isConnectionReused,
            source: record.status == 304 ? .revalidated : .network,
            timings: timings,
            error: record.error
        )
    }

    private static func headers(_ text: String) -> [TransferRequest.Header] {
        text.split(separator: "\n").map(TransferRequest.Header.init(line:))
    }
}

extension TransferRequest.Header {
    /// Reads a line of the log.
    init(line: some StringProtocol) {
        let name = line.prefix { $0 != ":" }
        self.init(String(name), String(line.dropFirst(name.count + 2)))
    }
}
