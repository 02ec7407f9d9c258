public import Foundation
import Synchronization
public import Transport

/// The record of one transfer, for a network log.
public struct TransferRecord: Sendable {
    /// The number of the load, unique in the process; redirects of one load share it.
    public let load: UInt64
    /// The number of the request that a ``NetworkLog`` watches: equal for its attempts; nil if none watches.
    public let watch: UInt64?
    /// The number of redirects before it.
    public let redirects: Int
    /// The host by the name that limits its rate: a bucket is `s3://bucket`, wherever its service is.
    public let host: String
    /// The request as it was sent, without what libcurl adds (`Host`, `Accept`).
    public let request: TransferRequest
    /// The first request of the load, whose secrets an answer to a later one may repeat.
    let first: TransferRequest
    /// The start time.
    public let start: Date
    /// The time it waited before for its host's rate limit and a slot.
    public let blocked: Duration
    /// The head of the answer, if there was one.
    public internal(set) var head: ResponseHead?
    /// The timings, byte counts and addresses of the transfer.
    public internal(set) var metrics = TransferMetrics()
    /// The error; nil for success.
    public internal(set) var error: TransportError?
}

extension TransferRecord {
    /// Creates the record of a request that no loader has sent.
    package init(
        _ request: TransferRequest,
        host: String,
        start: Date,
        blocked: Duration,
        head: ResponseHead?,
        metrics: TransferMetrics,
        error: TransportError?
    ) {
        self.init(
            load: LoadNumber.next(),
            watch: nil,
            redirects: 0,
            host: host,
            request: request,
            first: request,
            start: start,
            blocked: blocked,
            head: head,
            metrics: metrics,
            error: error
        )
    }
}

/// The number of a load, and of the watched request it belongs to.
package struct LoadNumber: Sendable {
    /// Set around the call of a loader that a ``NetworkLog`` watches; tasks made in that call have it too.
    @TaskLocal package static var watch: UInt64?
    /// Set around a download that a pipeline records: its number in every log.
    @TaskLocal package static var request: UInt64?

    private static let last = Atomic<UInt64>(0)

    package let value: UInt64
    package let watch: UInt64?

    init() {
        value = Self.next()
        watch = Self.watch ?? Self.request
    }

    /// Returns a number that no load and no watch has.
    package static func next() -> UInt64 {
        last.add(1, ordering: .relaxed).newValue
    }
}
