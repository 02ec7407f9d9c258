import NukeBatch

/// The options that say what a run reports and where.
struct RunPresentation: Sendable {
    var progress = ProgressDisplay.Kind.auto
    /// The file of the run's metrics; nil for none.
    var metricsPath: String?
    var metricsFormat = MetricsFormat.openmetrics
    var isQuiet = false
    var isJSON = false
    var isVerbose = false
    /// True if events go to systemd's journal.
    var isJournaled = false
    /// True if the plan is shown in place of a run.
    var isDryRun = false
    var hooks = FinishHooks()
    /// True if the summary names failed items: those of a job that has no manifest of the user's to look at.
    var namesFailures = false

    static let table: [Option<RunPresentation>] =
        [
            .value(
                "--progress",
                \.progress,
                as: .choice("KIND"),
                help: "Show progress as auto, bar, plain or none (default: auto)"
            ),
            .value(
                "--metrics",
                \.metricsPath,
                as: .file,
                help: "Write a file of metrics every 5 seconds and after the run"
            ),
            .value(
                "--metrics-format",
                \.metricsFormat,
                as: .choice("FORMAT"),
                help: "Write them as openmetrics or prometheus (default: openmetrics)"
            ),
            .flag("--quiet", short: "-q", \.isQuiet, help: "Print nothing if the exit code is 0"),
            .flag("--json", \.isJSON, help: "Print events as NDJSON"),
            .flag("--journal", \.isJournaled, help: "Send events with fields to systemd's journal"),
            .flag(
                "--verbose",
                short: "-v",
                \.isVerbose,
                help: "Print the reason for each failure as it happens"
            ),
        ].inEnvironment() + FinishHooks.table.within(\.hooks)

    /// The option of the commands that run a job.
    static let dryRun = Option<RunPresentation>.flag(
        "--dry-run",
        short: "-n",
        \.isDryRun,
        help: "Print what plan prints; load no images and write nothing"
    ).inEnvironment()

    /// The progress to show: `auto` is for people, so a quiet run shows none.
    var shownProgress: ProgressDisplay.Kind { progress == .auto && isQuiet ? .none : progress }

    /// True if ``show(_:)`` has anything to show.
    var showsEvents: Bool { isJSON || isVerbose }

    func show(_ event: RunEvent) {
        if isJSON { return Output.result(event.line()) }
        guard isVerbose, case .itemFinished(let item) = event, let error = item.error else { return }
        Output.message(Output.printable("\(item.shownURL): \(error): \(item.message ?? "")"))
    }

    /// Prints the summary; JSON has it as its last event.
    /// - Returns: True if the failures were reported.
    func end(_ report: RunReport, _ commands: RunReport.Commands) -> Bool {
        guard !isJSON else { return Output.isWhole }
        var report = report
        if isVerbose { report.knownWarnings = [] }
        if isQuiet, report.exit == .done, !report.hasWarnings { return false }
        Output.result(Output.printableLines(report.summary(commands, namesFailures: namesFailures)))
        return Output.isWhole
    }
}
