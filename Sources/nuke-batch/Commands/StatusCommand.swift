import Foundation
import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// `status`: shows item counts by state, the rate of a run in progress, and how the last runs ended.
struct StatusCommand: JobCommand {
    var job = JobOptions()
    var isWatching = false
    var isJSON = false

    static let name = CommandName.status
    static let summary = "Show item counts by state, rate, time left and recent runs"
    static let table =
        JobOptions.looking.within(\Self.job) + [
            .flag("--watch", \.isWatching, help: "Follow the run in progress until it ends"),
            .flag("--json", \.isJSON, help: "Print JSON; with --watch one line per update"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch status jobs/thumbnails.json": "Show counts by state and the last runs",
        "nuke-batch status jobs/thumbnails.json --watch": "Follow a run in another terminal",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try job.recordedManifest()
        let states = try job.parts(of: manifest).map { try JobState(manifest, options: $0) }
        if isWatching { try await watch(states) }
        let status = try status(states, looksAtRequests: true)
        Output.result(isJSON ? JSONLine.text(status) : Output.printableLines(status.text()))
        return .done
    }

    private func status(_ states: [JobState], looksAtRequests: Bool = false) throws -> JobStatus {
        try JobStatus(states, isPartitioned: job.isAboutAllShards, looksAtRequests: looksAtRequests)
    }

    /// Follows the runs in progress until the last one ends.
    private func watch(_ states: [JobState]) async throws {
        let isTerminal = Terminal.isCapable && !isJSON
        var meter = RateMeter()
        let start = ContinuousClock.now
        var before: Int?
        while true {
            let status = try status(states)
            guard status.isGoingOn else { break }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            before = before ?? status.finished
            let since = meter.add(seconds: seconds, items: status.finished - (before ?? 0), bytes: 0)
            // A run that has finished nothing for a while has the rate that it had.
            let rate = since.flatMap { $0.items > 0 ? $0.items : nil } ?? status.rate
            // The state does not say how many bytes the run has loaded so far.
            let rates = rate.map { RateMeter.Rates(items: $0, bytes: nil) }
            if isTerminal {
                Output.show(progressLine(status, rates: rates))
            } else {
                let line = isJSON ? JSONLine.text(status) : status.progressLine(rate: rates?.items)
                Output.result(line)
            }
            try await Task.sleep(for: .seconds(isTerminal ? 0.5 : 2))
        }
        if isTerminal { Output.show("") }
    }

    private func progressLine(_ status: JobStatus, rates: RateMeter.Rates?) -> String {
        var progress = RunProgress()
        progress.total = status.items ?? 0
        progress.failed = (status.states["failed"] ?? 0) + (status.states["quarantined"] ?? 0)
        progress.done = status.finished - progress.failed
        progress.failures = status.failures
        return ProgressLine(progress, rates: rates).text(Terminal.style)
    }
}
