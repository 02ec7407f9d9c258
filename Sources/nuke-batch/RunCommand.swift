import Foundation
import NukeBatch

/// `run`, `warm` and the second half of `retry`: one run, its progress on standard error, its summary on standard output.
enum RunCommand {
    static func perform(_ command: Command, _ arguments: Arguments) async -> ExitCode {
        do {
            var options = try RunOptions(arguments)
            options.isWarming = command.name == "warm"
            let path = arguments.operands[0]
            let manifest = try Arguments.manifest(path)
            if let priority = try arguments.priority() {
                guard try await change(priority, manifest, options, arguments) else { return .done }
            } else if command.name == "retry" {
                let count = try JobState(manifest, options: options).putBack(try ItemSelection(arguments))
                if !arguments.has("--quiet") {
                    Output.message("\(count) item\(count == 1 ? "" : "s") put back")
                }
            }
            return try await run(manifest, options, Presentation(arguments), path)
        } catch {
            return Failure.report(error)
        }
    }

    /// Gives waiting items another priority.
    /// - Returns: Whether a run is to begin: none is going on.
    private static func change(
        _ priority: ItemPriority,
        _ manifest: Manifest,
        _ options: RunOptions,
        _ arguments: Arguments
    ) async throws -> Bool {
        let selection = try ItemSelection(arguments)
        switch try await JobState(manifest, options: options).changePriority(of: selection, to: priority) {
        case .done(let count):
            if !arguments.has("--quiet") {
                Output.message("\(count) item\(count == 1 ? "" : "s") changed to \(priority.rawValue)")
            }
            return true
        case .asked(let sentence):
            if !arguments.has("--quiet") {
                Output.message("\(Output.printable(sentence)): it was asked to change the priority")
            }
            return false
        }
    }

    private static func run(
        _ manifest: Manifest,
        _ options: RunOptions,
        _ presentation: Presentation,
        _ path: String
    ) async throws -> ExitCode {
        let runner = try BatchRunner(manifest: manifest, options: options) { presentation.show($0) }
        let signals = Signals { code in
            if !presentation.isQuiet { Output.message("stopping: finishing what is being worked on") }
            runner.stop(code)
        }
        let metrics = try presentation.metrics.map { path throws(RunError) in
            try MetricsFile(path: path, manifest, options, runner)
        }
        let display = ProgressDisplay(presentation.progress) { runner.progress }
        defer { withExtendedLifetime(signals) {} }
        do {
            let report = try await runner.run()
            display.stop()
            metrics?.end(report.exit)
            presentation.end(report, manifest: path)
            return report.exit
        } catch {
            display.stop()
            metrics?.end(error.exit)
            throw error
        }
    }
}

/// How a run is shown.
private struct Presentation: Sendable {
    let progress: ProgressDisplay.Kind
    let isQuiet: Bool
    let isJSON: Bool
    let isVerbose: Bool
    /// The file of `--metrics`.
    let metrics: String?

    init(_ arguments: Arguments) throws(Arguments.Failure) {
        isQuiet = arguments.has("--quiet")
        isJSON = arguments.has("--json")
        isVerbose = arguments.has("--verbose")
        metrics = arguments["--metrics"]
        let kind = arguments["--progress"] ?? "auto"
        guard let known = ProgressDisplay.Kind(rawValue: kind) else {
            throw Arguments.Failure(message: "--progress is auto, bar, plain or none, not \(kind)")
        }
        // `auto` is for people: a quiet or machine-read run that nobody watches says nothing on the way.
        progress = known == .auto && isQuiet ? .none : known
    }

    func show(_ event: RunEvent) {
        if isJSON { return Output.result(event.line()) }
        guard isVerbose, case .itemFinished(let item) = event, let error = item.error else { return }
        Output.message(Output.printable("\(item.shownURL): \(error): \(item.message ?? "")"))
    }

    func end(_ report: RunReport, manifest: String) {
        if isJSON || (isQuiet && report.exit == .done && !report.hasWarnings) { return }
        Output.result(Output.printableLines(report.summary(manifest: manifest)))
    }
}

/// Says what went wrong and gives the exit code for it.
enum Failure {
    static func report(_ error: any Error) -> ExitCode {
        switch error {
        case let error as ManifestErrors:
            Output.message(Output.printableLines(error.description))
            return .wrongInput
        case let error as Arguments.Failure:
            Output.message("nuke-batch: \(Output.printable(error.message))")
            return .wrongInput
        case let error as RunError:
            Output.message("nuke-batch: \(Output.printable(error.description))")
            return error.exit
        default:
            Output.message("nuke-batch: \(Output.printable("\(error)"))")
            return .machine
        }
    }
}
