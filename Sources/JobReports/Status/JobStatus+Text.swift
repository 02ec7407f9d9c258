import Files
import Foundation
import JobManifest

extension JobStatus {
    /// Returns the status as text; `rate`, of the last seconds, replaces the mean rate of the run.
    public func text(rate recent: Double? = nil) -> String {
        guard let items else {
            guard !runs.isEmpty else { return "never run" }
            return (["nothing planned"] + runs.prefix(5).flatMap { entry(of: $0, 0) }).joined(separator: "\n")
        }
        var lines = ["\(Quantity.grouped(items)) item\(items == 1 ? "" : "s")"]
        let width = states.values.map { Quantity.grouped($0).count }.max() ?? 0
        lines += Self.stateNames.compactMap { name in
            guard let count = states[name], count > 0 else { return nil }
            return "  \(Quantity.grouped(count).leftPadded(to: width)) \(name)"
        }
        lines += Self.lines(skips, "skipped as") + Self.lines(failures, "failed as")
        lines += Self.lines(shortfalls, "below the quality asked for by")
        lines += runs.prefix(5).flatMap { entry(of: $0, recent ?? rate ?? 0) }
        lines += shards.map(\.shardLine)
        lines += slowest?.lines ?? []
        return lines.joined(separator: "\n")
    }

    /// The progress of the active run, in one line.
    public func progressLine(rate recent: Double? = nil) -> String {
        progress + Self.pace(recent ?? rate ?? 0, left: (items ?? 0) - finished)
    }

    /// Returns a line for each reason, the most frequent first.
    private static func lines(_ counts: [String: Int], _ words: String) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "  \(words) \($0.key): \(Quantity.grouped($0.value))" }
    }

    /// The partition's progress and its last run, in one line.
    private var shardLine: String {
        let name = "shard \(shard ?? "")"
        guard items != nil else { return "\(name)  never run" }
        let last = runs.prefix(1).map { line(of: $0, rate ?? 0) }
        return (["\(name)  \(progress)"] + last).joined(separator: "  ")
    }

    /// The number of finished items, of all, and of those that failed.
    private var progress: String {
        let failed = (states["failed"] ?? 0) + (states["quarantined"] ?? 0)
        let failures = failed > 0 ? "  \(Quantity.grouped(failed)) failed" : ""
        return "\(Quantity.grouped(finished))/\(Quantity.grouped(items ?? 0))\(failures)"
    }

    /// Returns the run's line, and its remarks below it.
    private func entry(of run: Run, _ rate: Double) -> [String] {
        // A reason can have several lines.
        [line(of: run, rate)] + run.remarks.map { "  \($0.replacing("\n", with: " "))" }
    }

    private func line(of run: Run, _ rate: Double) -> String {
        guard run.isGoingOn else { return run.line }
        return "run \(run.run)  \(run.started)  running (process \(run.process))"
            + Self.pace(rate, left: (items ?? 0) - finished)
    }

    private static func pace(_ rate: Double, left: Int) -> String {
        guard rate > 0 else { return "" }
        return String(format: "  %.1f/s", rate) + "  ETA \(Quantity.duration(Double(left) / rate))"
    }
}

extension JobStatus.Run {
    fileprivate var line: String {
        guard let exit else { return "run \(run)  \(started)  ended uncleanly" }
        var parts = ["run \(run)", started, "exit \(exit)"]
        if let interruption { parts.append(interruption) }
        if let seconds { parts.append("took \(Quantity.duration(seconds))") }
        if let made { parts.append("\(Quantity.grouped(made)) made") }
        if let failed, failed > 0 {
            let new = newFailures.map { $0 > 0 ? ", \(Quantity.grouped($0)) new" : "" } ?? ""
            parts.append("\(Quantity.grouped(failed)) failed\(new)")
        }
        if let recovered, recovered > 0 { parts.append("\(Quantity.grouped(recovered)) recovered") }
        if let edgeShare { parts.append("edge hits \(edgeShare)") }
        return parts.joined(separator: "  ")
    }
}
