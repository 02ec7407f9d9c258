import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// One run of a job: its progress goes to standard error, its summary to standard output.
struct RunSession {
    private let manifest: Manifest
    private let commands: RunReport.Commands
    private let options: RunOptions
    private let presentation: RunPresentation

    init(_ manifest: Manifest, job: JobOptions, presentation: RunPresentation) {
        self.manifest = manifest
        self.presentation = presentation
        let next = job.nextCommands
        commands = RunReport.Commands(
            resume: next.resume,
            failures: next.failures(of: manifest),
            retry: next.retry
        )
        var options = job.run
        options.sandboxProgram = RenderProcessCommand.program
        self.options = options
    }

    /// Runs the job until nothing is left, a limit is reached or a signal arrives.
    /// - Throws: `RunError` if the run cannot begin or go on.
    func perform() async throws -> ExitCode {
        let runner = try BatchRunner(manifest: manifest, options: options) { presentation.show($0) }
        let signals = Signals { code in
            if !presentation.isQuiet { Output.message("stopping: finishing the running items") }
            runner.stop(code)
        }
        let metrics = try presentation.metricsPath.map { path in
            try MetricsFile(path: path, manifest: manifest, options: options, runner: runner)
        }
        let display = try ProgressDisplay(presentation.shownProgress) { runner.progress }
        defer { withExtendedLifetime(signals) {} }
        do {
            let report = try await runner.run()
            display.stop()
            metrics?.end(report.exit)
            presentation.end(report, commands)
            return report.exit
        } catch {
            display.stop()
            metrics?.end(error.exit)
            throw error
        }
    }
}
