import Foundation

/// What a run has done so far, for a progress line.
public struct RunProgress: Sendable {
    /// Items of the job.
    public var total = 0
    /// Items done or skipped, in this run and before it.
    public var done = 0
    /// Items failed.
    public var failed = 0
    /// Items finished in this run.
    public var finishedNow = 0
    /// Bytes loaded from the network in this run.
    public var networkBytes = 0
    /// Seconds since the run began to work.
    public var seconds = 0.0
    /// What hosts are waiting for, a phrase each.
    public var waiting: [String] = []
    /// What is being done before the first item: reading lists, say.
    public var stage: String?

    /// The share of the items that is finished, 0 to 1.
    public var fraction: Double {
        total == 0 ? 0 : min(1, Double(done + failed) / Double(total))
    }

    /// The progress in one line, without control characters of its own.
    public var line: String {
        if let stage { return stage }
        var parts = ["\(done + failed)/\(total)"]
        if failed > 0 { parts.append("\(failed) failed") }
        if seconds > 0, finishedNow > 0 {
            let rate = Double(finishedNow) / seconds
            parts.append(String(format: "%.1f/s", rate))
            parts.append(String(format: "%.1f MB/s", Double(networkBytes) / seconds / 1_000_000))
            parts.append("ETA \(Self.duration(Double(max(0, total - done - failed)) / rate))")
        }
        return (parts + waiting.prefix(3)).joined(separator: "  ")
    }

    /// A time of so many seconds for people, as in 1:05:09.
    public static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 359_999))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        if hours > 0 { return String(format: "%d:%02d:%02d", hours, minutes, rest) }
        return String(format: "%d:%02d", minutes, rest)
    }
}
