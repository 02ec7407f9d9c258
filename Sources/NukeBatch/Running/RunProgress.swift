import Foundation

/// What a run has done so far, for a progress line.
public struct RunProgress: Sendable {
    /// Items of the job.
    public var total = 0
    /// Items done or skipped, in this run and before it.
    public var done = 0
    /// Items failed.
    public var failed = 0
    /// Failures of this run by their error.
    public var failures: [String: Int] = [:]
    /// Items finished in this run.
    public var finishedNow = 0
    /// Outputs (or, in warming, originals) made in this run.
    public var made = 0
    /// Bytes of originals from the cache or from files in this run.
    public var cacheBytes = 0
    /// Bytes loaded from the network in this run.
    public var networkBytes = 0
    /// Seconds since the run began to work.
    public var seconds = 0.0
    /// What hosts are waiting for, a phrase each.
    public var waiting: [String] = []
    /// What is being done before the first item: reading lists, say.
    public var stage: String?

    /// Progress before anything began.
    public init() {}

    /// The share of the items that is finished, 0 to 1.
    public var fraction: Double {
        total == 0 ? 0 : min(1, Double(done + failed) / Double(total))
    }

    /// The progress in one line, without control characters of its own; `rates` are those of the last seconds.
    public func line(_ rates: RateMeter.Rates? = nil) -> String {
        stage ?? (ProgressLine.parts(self, rates).map(\.text) + waiting.prefix(3)).joined(separator: "  ")
    }

    /// A time of so many seconds for people, as in 1:05:09.
    public static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 359_999))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        if hours > 0 { return String(format: "%d:%02d:%02d", hours, minutes, rest) }
        return String(format: "%d:%02d", minutes, rest)
    }
}
