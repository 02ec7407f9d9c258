import Foundation

/// The progress of a run, for a progress line.
public struct RunProgress: Sendable {
    /// A host that keeps requests waiting.
    public struct Wait: Sendable, Hashable {
        /// The host and the reason, as one phrase.
        public let text: String
        /// The seconds until the next request; infinite if unknown.
        public let seconds: Double
        /// True if the host gets no request meanwhile; false if its rate alone limits them.
        public let isPaused: Bool

        /// Creates a wait from its parts.
        public init(_ text: String, seconds: Double, isPaused: Bool) {
            (self.text, self.seconds, self.isPaused) = (text, seconds, isPaused)
        }
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
    /// The stage before the first item; for example, reading lists.
    public var stage: String?

    /// Creates empty progress.
    public init() {}

    /// The share of the items that is finished, 0 to 1.
    public var fraction: Double {
        total == 0 ? 0 : min(1, Double(done + failed) / Double(total))
    }

    /// Returns the progress in one line without control characters; `rates` are those of the last seconds.
    public func line(_ rates: RateMeter.Rates? = nil) -> String {
        stage
            ?? (ProgressLine.parts(self, rates).map(\.text) + waiting.prefix(3).map(\.text)).joined(
                separator: "  "
            )
    }
}
