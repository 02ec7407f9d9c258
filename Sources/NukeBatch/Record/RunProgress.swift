import Foundation
import Originals

/// The progress of a run, for a progress line.
public struct RunProgress: Sendable {
    /// A host that keeps requests waiting.
    public struct Wait: Sendable, Hashable {
        /// The host, with its port if that is not the scheme's.
        public let host: String
        /// The reason, and the time of the next request if it is known.
        public let reason: String
        /// The seconds until the next request; infinite if unknown.
        public let seconds: Double
        /// True if the host gets no request meanwhile; false if its rate alone limits them.
        public let isPaused: Bool
        /// True if the host is certain to take requests after the wait; false if it does not respond.
        public let isCertain: Bool

        /// Creates a wait from its parts.
        public init(host: String, reason: String, seconds: Double, isPaused: Bool, isCertain: Bool = true) {
            (self.host, self.reason, self.seconds) = (host, reason, seconds)
            (self.isPaused, self.isCertain) = (isPaused, isCertain)
        }

        /// The host and the reason, as one phrase.
        public var text: String { "\(host): \(reason)" }

        /// The reason without the time.
        var brief: String { reason.firstIndex(of: ",").map { String(reason[..<$0]) } ?? reason }
    }

    /// The items of the job.
    public var total = 0
    /// Items done or skipped, in this run and before it.
    public var done = 0
    /// Items failed.
    public var failed = 0
    /// Failures of this run by error.
    public var failures: [String: Int] = [:]
    /// Items finished in this run.
    public var finishedNow = 0
    /// Outputs (originals, if the run warms a cache) made in this run.
    public var made = 0
    /// Bytes of originals from the cache or from files in this run.
    public var cacheBytes = 0
    /// Bytes loaded from the network in this run.
    public var networkBytes = 0
    /// Seconds since the run began to process items.
    public var seconds = 0.0
    /// The hosts that keep requests waiting, the longest wait first.
    public var waiting: [Wait] = []
    /// The length of each queue of the run, such as `decode`; `host` are the requests that wait for the turn of their hosts.
    public var queues: [String: Int] = [:]
    /// The number of originals that were loaded to be compared with others.
    var compared = 0
    /// The stage before the first item; for example, reading lists.
    public var stage: String?

    /// Creates empty progress.
    public init() {}

    /// The share of the items that is finished, 0 to 1.
    public var fraction: Double { total == 0 ? 0 : min(1, Double(done + failed) / Double(total)) }

    /// Returns the progress in one line without control characters; `rates` are those of the last seconds.
    public func line(_ rates: RateMeter.Rates? = nil) -> String {
        let parts = stage.map { [$0] } ?? ProgressLine.parts(self, rates).map(\.text)
        return (parts + waiting.prefix(3).map(\.text)).joined(separator: "  ")
    }
}

extension RunProgress.Wait {
    /// Describes a wait for the progress line; nil for a wait for the host's own running requests.
    init?(_ waiting: HostRateLimiter.Waiting) {
        let seconds = waiting.remaining.map { $0 / .seconds(1) }
        let rounded = Int(seconds ?? 0) + 1
        let reason: String
        switch waiting.reason {
        case .held: reason = "retry after \(rounded) s"
        case .rate: reason = "rate limit"
        case .unreachable:
            reason = "not responding, \(seconds == nil ? "trying again" : "next try in \(rounded) s")"
        case .outage: reason = "no network"
        case .slowedDown: reason = "refuses nearly all requests (503 SlowDown)"
        case .concurrency: return nil
        }
        self.init(
            host: waiting.host,
            reason: reason,
            seconds: waiting.reason == .outage ? .infinity : seconds ?? 0,
            isPaused: waiting.reason != .rate,
            isCertain: waiting.reason == .held || waiting.reason == .rate
        )
    }
}
