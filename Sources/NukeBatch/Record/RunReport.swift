import Foundation
import JobManifest
public import JobPlanning
public import JobStorage

/// The results of a run, for its summary and for `run_finished`.
public struct RunReport: Sendable {
    /// The commands that continue a job.
    public struct Commands: Sendable {
        /// The command that does what is left.
        public let resume: String
        /// The command that lists the failed items.
        public let failures: String
        /// The command that tries them again.
        public let retry: String

        /// Creates commands from their texts.
        public init(resume: String, failures: String, retry: String) {
            (self.resume, self.failures, self.retry) = (resume, failures, retry)
        }

        /// Creates the commands of a job with this manifest and no options.
        public init(manifest: String) {
            self.init(
                resume: "nuke-batch run \(manifest)",
                failures: "nuke-batch items \(manifest) --state failed,quarantined",
                retry: "nuke-batch retry \(manifest)"
            )
        }
    }

    /// The exit code of the run.
    public var exit = ExitCode.done
    /// Outputs (originals, if the run warms a cache) made by this run.
    public var made = 0
    /// Outputs that existed already, of items that this run processed.
    public var reused = 0
    /// Items skipped by this run, because of `when`, `existing`, `onCollision` or an opt-out.
    public var skipped = 0
    /// Items of the job that are failed or quarantined after this run.
    public var failed = 0
    /// Failed and quarantined items that no finished run had reported before.
    public var newFailures = 0
    /// The number of these by error.
    public var newErrors: [String: Int] = [:]
    /// The first of these.
    public var newItems: [ItemListing] = []
    /// Items that this run finished well although they had failed before.
    public var recovered = 0
    /// The first of all failed and quarantined items of the job.
    var failedItems: [ItemListing] = []
    /// The failed items that the exit code and the summary are about.
    public var failOn = FailurePolicy.any
    /// Items of the job that are done or skipped after this run.
    public var done = 0
    /// Items of the job.
    public var items = 0
    /// Items that this run finished, with any outcome.
    public var finishedNow = 0
    /// Items left to do.
    public var left = 0
    /// Originals that their origins confirmed (304, or the same bytes), and those that had changed.
    public var confirmed = 0, changed = 0
    /// Originals used without revalidation because their origins could not be reached, by error.
    public var stale: [String: Int] = [:]
    /// Originals whose entity tags are not those of their listings.
    var otherVersions = 0
    /// Bytes of originals that came from the network.
    public var networkBytes = 0
    /// Bytes of originals that came from the cache or from files.
    public var cacheBytes = 0
    /// Hits and misses of the caches in front of the origins.
    public var edge = EdgeCounts()
    /// The duration of the run in seconds.
    public var seconds = 0.0
    /// Failures of this run by error.
    public var failures: [String: Int] = [:]
    /// The local problem that stopped the run early, in a sentence; for example, a full disk.
    public var trouble: String?
    /// The warnings about sources in other places that could not be had: each counts as a new failure in each run, which works
    /// on the last plan meanwhile.
    public var lostSources: [String] = []
    /// Warnings although nothing failed; for example, that a manifest has no items.
    public var warnings: [String] = []
    /// Those of them that an earlier run has reported: `FailurePolicy.new` passes over them.
    public var knownWarnings: Set<String> = []

    /// Returns the summary for people: outputs made, bytes loaded, time taken, and the next commands to run.
    public func summary(manifest: String) -> String {
        summary(Commands(manifest: manifest))
    }

    /// Returns the summary with these commands to run next; with `namesFailures`, the first failed items as well.
    public func summary(_ commands: Commands, namesFailures: Bool = false) -> String {
        var lines: [String] = []
        if finishedNow == 0, left == 0, failed == 0, trouble == nil {
            lines.append("nothing to do: \(items) item\(items == 1 ? "" : "s"), all done (\(time))")
        } else {
            var parts = ["\(made) made"]
            if reused > 0 { parts.append("\(reused) reused") }
            if skipped > 0 { parts.append("\(skipped) skipped") }
            if failOn != .new, failed > 0 { parts.append("\(failed) failed") }
            if failOn == .new, newFailures > 0 { parts.append("\(newFailures) newly failed") }
            if left > 0 { parts.append("\(left) left") }
            lines.append(
                "\(parts.joined(separator: ", ")); \(done) of \(items) \(Quantity.noun("item", items)) done in \(time)"
            )
            lines.append(
                "from the network \(Quantity.bytes(networkBytes)), from cache and files \(Quantity.bytes(cacheBytes))"
            )
        }
        let asked = edge.hits + edge.misses
        if asked > 0 {
            let share = Int((100 * Double(edge.hits) / Double(asked)).rounded())
            lines.append("edge cache hits: \(edge.hits) of \(asked) (\(share) %)")
        }
        if failOn != .new, !failures.isEmpty {
            let others = failed - failures.values.reduce(0, +)
            lines.append(
                "failed in this run: \(Self.list(failures))"
                    + (others > 0 ? "; already failed: \(others)" : "")
            )
        }
        if failOn != .new, namesFailures { lines += namedFailures }
        if confirmed + changed > 0 {
            lines.append("revalidated: \(confirmed) unchanged, \(changed) changed")
        }
        lines += shownWarnings.map { "warning: \($0)" }
        if let trouble { lines.append("stopped: \(trouble)") }
        if exit == .workLeft || exit != .done && left > 0 { lines.append("to continue: \(commands.resume)") }
        if failOn == .new { lines += news }
        if failed > 0 {
            lines.append("\(failed) failed; to see them: \(commands.failures)")
            lines.append("to try them again: \(commands.retry)")
        }
        return lines.joined(separator: "\n")
    }

    /// The first failed items with their errors, and the number of the others.
    private var namedFailures: [String] {
        let lines = failedItems.map { item in
            // Messages about a request begin with its URL.
            let message = (item.message ?? "").trimmingPrefix("\(item.shownURL): ")
            return "  \(item.shownURL): \(item.error ?? item.state): \(message.replacing("\n", with: " "))"
        }
        let others = failed - failedItems.count
        return lines + (others > 0 ? ["  and \(others) more"] : [])
    }

    /// The new failures by error, the first of them, and the number of the known ones.
    private var news: [String] {
        var lines: [String] = []
        if newFailures > 0 {
            lines.append("new failures: \(Self.list(newErrors))")
            lines += newItems.map { "  \($0.error ?? ""): \($0.shownURL)" }
            let others = newFailures - newItems.count
            if others > 0 { lines.append("  and \(others) more") }
        }
        let known = failed - newFailures
        if known > 0 { lines.append("\(known) known failure\(known == 1 ? "" : "s") of earlier runs") }
        let standing = allWarnings.count - shownWarnings.count
        if standing > 0 {
            lines.append("\(standing) known warning\(standing == 1 ? "" : "s") of earlier runs")
        }
        return lines
    }

    /// True if there are warnings to report although nothing failed.
    public var hasWarnings: Bool { !shownWarnings.isEmpty }

    /// The warnings that the summary names.
    private var shownWarnings: [String] {
        // Those that make the run fail are told as often as they do.
        failOn == .new
            ? allWarnings.filter { lostSources.contains($0) || !knownWarnings.contains($0) } : allWarnings
    }

    /// The warnings, also about stale originals.
    var allWarnings: [String] { warnings + staleness + strangeness }

    private var strangeness: [String] {
        guard otherVersions > 0 else { return [] }
        return [
            """
            \(otherVersions) original\(otherVersions == 1 ? " is" : "s are") of another version than the listing tells: the next \
            run asks again; if it always is so, look whether a cache in front of the object store gives old versions
            """
        ]
    }

    private var staleness: [String] {
        guard !stale.isEmpty else { return [] }
        let count = stale.values.reduce(0, +)
        return [
            """
            \(count) original\(count == 1 ? " was" : "s were") used without revalidation, since \
            \(count == 1 ? "its origin" : "their origins") could not be reached: \(Self.list(stale))
            """
        ]
    }

    /// Counts by name, the highest first.
    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }

    private var time: String {
        seconds < 100 ? String(format: "%.2f s", seconds) : Quantity.duration(seconds)
    }
}

extension RunReport {
    /// Creates the report of a run that ended with an error; `counts` are those of the job's items, if they can be read.
    public init(stoppedBy error: RunError, counts: JobCounts? = nil) {
        self.init()
        (exit, trouble) = (error.exit, error.description)
        if let counts { set(counts) }
    }

    /// Takes over how many items are in which state.
    mutating func set(_ counts: JobCounts) {
        items = counts.total
        done = counts[.done] + counts[.skipped]
        failed = counts[.failed] + counts[.quarantined]
        left = counts.unfinished
    }
}
