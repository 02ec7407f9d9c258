import Foundation
import JobManifest

extension JobStatus {
    /// Returns the status as text; `rate`, of the last seconds, replaces the mean rate of the run.
    public func text(rate recent: Double? = nil) -> String {
        guard let items else { return "never run" }
        var lines = ["\(Quantity.grouped(items)) item\(items == 1 ? "" : "s")"]
        let width = states.values.map { Quantity.grouped($0).count }.max() ?? 0
        lines += Self.stateNames.compactMap { name in
            guard let count = states[name], count > 0 else { return nil }
            let number = Quantity.grouped(count)
            return "  \(String(repeating: " ", count: width - number.count))\(number) \(name)"
        }
        lines += failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "  failed as \($0.key): \(Quantity.grouped($0.value))" }
        lines += runs.prefix(5).map { $0.isGoingOn ? line(ofCurrent: $0, recent ?? rate ?? 0) : $0.line }
        return lines.joined(separator: "\n")
    }

    /// The progress of the active run, in one line.
    public func progressLine(rate recent: Double? = nil) -> String {
        let failed = (states["failed"] ?? 0) + (states["quarantined"] ?? 0)
        let failures = failed > 0 ? "  \(Quantity.grouped(failed)) failed" : ""
        let count = "\(Quantity.grouped(finished))/\(Quantity.grouped(items ?? 0))"
        return count + failures + Self.pace(recent ?? rate ?? 0, left: (items ?? 0) - finished)
    }

    private func line(ofCurrent run: Run, _ rate: Double) -> String {
        "run \(run.run)  \(run.started)  running (process \(run.process))"
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
        if let seconds { parts.append("took \(Quantity.duration(seconds))") }
        if let made { parts.append("\(Quantity.grouped(made)) made") }
        if let failed, failed > 0 { parts.append("\(Quantity.grouped(failed)) failed") }
        return parts.joined(separator: "  ")
    }
}
