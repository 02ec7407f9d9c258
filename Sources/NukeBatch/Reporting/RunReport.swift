import Foundation

/// What a run did, for its summary and for `run_finished`.
public struct RunReport: Sendable {
    /// How the run ended.
    public var exit = ExitCode.done
    /// Outputs (or, in warming, originals) made by this run.
    public var made = 0
    /// Outputs that were there already, of items that this run took up.
    public var reused = 0
    /// Items skipped by this run: `when`, `existing`.
    public var skipped = 0
    /// Items of the job that are failed or quarantined after this run.
    public var failed = 0
    /// Items of the job that are done or skipped after this run.
    public var done = 0
    /// Items of the job.
    public var items = 0
    /// Items that this run brought to an end.
    public var finishedNow = 0
    /// Items left to do.
    public var left = 0
    /// Originals that their origins have confirmed (304), or sent anew.
    public var confirmed = 0, changed = 0
    /// Originals that are used as they were, since their origins could not be asked, by the error.
    public var stale: [String: Int] = [:]
    /// Bytes of originals that came from the network.
    public var networkBytes = 0
    /// Bytes of originals that came from the cache or from files.
    public var cacheBytes = 0
    /// How often caches before the origins had what was asked for.
    public var edge = EdgeCounts()
    /// How long the run took, in seconds.
    public var seconds = 0.0
    /// Failures of this run by their error.
    public var failures: [String: Int] = [:]
    /// What stopped the run early, in a sentence: a full disk, say.
    public var trouble: String?
    /// What the user should know though nothing failed: a manifest without items, say.
    public var warnings: [String] = []

    /// The summary for people: what was made, from where, how long it took, and what to type next.
    public func summary(manifest: String) -> String {
        var lines: [String] = []
        if finishedNow == 0, left == 0, failed == 0, trouble == nil {
            lines.append("nothing to do: \(items) item\(items == 1 ? "" : "s"), all done (\(time))")
        } else {
            var parts = ["\(made) made"]
            if reused > 0 { parts.append("\(reused) reused") }
            if skipped > 0 { parts.append("\(skipped) skipped") }
            if failed > 0 { parts.append("\(failed) failed") }
            if left > 0 { parts.append("\(left) left") }
            lines.append("\(parts.joined(separator: ", ")); \(done) of \(items) items done in \(time)")
            lines.append(
                "from the network \(Self.size(networkBytes)), from cache and files \(Self.size(cacheBytes))"
            )
        }
        let asked = edge.hits + edge.misses
        if asked > 0 {
            let share = Int((100 * Double(edge.hits) / Double(asked)).rounded())
            lines.append("the edge had \(edge.hits) of \(asked) (\(share) %)")
        }
        if !failures.isEmpty {
            lines.append("failed in this run: \(Self.list(failures))")
        }
        if confirmed + changed > 0 {
            lines.append("asked again: \(confirmed) unchanged, \(changed) changed")
        }
        lines += (warnings + staleness).map { "warning: \($0)" }
        if let trouble { lines.append("stopped: \(trouble)") }
        if exit != .done, left > 0 { lines.append("to go on: nuke-batch run \(manifest)") }
        if failed > 0 {
            lines.append(
                "\(failed) failed; to see them: nuke-batch items \(manifest) --state failed,quarantined"
            )
            lines.append("to try them again: nuke-batch retry \(manifest)")
        }
        return lines.joined(separator: "\n")
    }

    /// Whether there is something to say although nothing failed.
    public var hasWarnings: Bool {
        !warnings.isEmpty || !stale.isEmpty
    }

    private var staleness: [String] {
        guard !stale.isEmpty else { return [] }
        let count = stale.values.reduce(0, +)
        return [
            """
            \(count) original\(count == 1 ? " is" : "s are") used as \(count == 1 ? "it was" : "they were"), since \
            \(count == 1 ? "its origin" : "their origins") could not be asked: \(Self.list(stale))
            """
        ]
    }

    /// Counts by name, the highest first.
    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }

    private var time: String {
        seconds < 100 ? String(format: "%.2f s", seconds) : RunProgress.duration(seconds)
    }

    /// A number of bytes for people, in powers of 1000.
    public static func size(_ bytes: Int) -> String {
        var value = Double(bytes)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return unit == "B" ? "\(bytes) B" : String(format: "%.1f %@", value, unit) }
            value /= 1000
        }
        return String(format: "%.1f TB", value)
    }
}
