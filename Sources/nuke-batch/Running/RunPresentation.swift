import JobManifest
import NukeBatch

/// The options that say what a run prints and where.
struct RunPresentation: Sendable {
    var progress = ProgressDisplay.Kind.auto
    /// The file of the run's metrics; nil for none.
    var metricsPath: String?
    var isQuiet = false
    var isJSON = false
    var isVerbose = false

    static let table: [Option<RunPresentation>] = [
        .value(
            "--progress",
            sets: \.progress,
            as: .choice("KIND"),
            help: "Show progress as auto, bar, plain or none (default: auto)"
        ),
        .value(
            "--metrics",
            sets: \.metricsPath,
            as: .file,
            help: "Write a Prometheus text file every 5 seconds and after the run"
        ),
        .flag("--quiet", sets: \.isQuiet, help: "Print nothing if everything succeeds"),
        .flag("--json", sets: \.isJSON, help: "Print events as NDJSON"),
        .flag("--verbose", sets: \.isVerbose, help: "Print the reason for each failure as it happens"),
    ]

    /// The progress to show: `auto` is for people, so a quiet run shows none.
    var shownProgress: ProgressDisplay.Kind {
        progress == .auto && isQuiet ? .none : progress
    }

    func show(_ event: RunEvent) {
        if isJSON { return Output.result(event.line()) }
        guard isVerbose, case .itemFinished(let item) = event, let error = item.error else { return }
        Output.message(Output.printable("\(item.shownURL): \(error): \(item.message ?? "")"))
    }

    /// Prints the summary.
    func end(_ report: RunReport, _ commands: RunReport.Commands) {
        if isJSON || (isQuiet && report.exit == .done && !report.hasWarnings) { return }
        Output.result(Output.printableLines(report.summary(commands)))
    }
}
