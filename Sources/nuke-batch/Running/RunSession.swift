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
    private let begin: @Sendable () throws -> Void

    /// Prepares a run; `begin` is called when the job is locked, before anything else is done.
    init(
        _ manifest: Manifest,
        job: JobOptions,
        presentation: RunPresentation,
        beginning begin: @escaping @Sendable () throws -> Void = {}
    ) {
        self.manifest = manifest
        self.begin = begin
        self.presentation = presentation
        let next = job.nextCommands
        commands = RunReport.Commands(resume: next.resume, failures: next.failures, retry: next.retry)
        var options = job.run
        options.sandboxProgram = RenderProcessCommand.program
        self.options = options
    }

    /// Runs the job until nothing is left, a limit is reached or a signal arrives; a dry run prints its plan instead.
    /// - Throws: `RunError` if the run cannot begin or go on.
    func perform() async throws -> ExitCode {
        guard !presentation.isDryRun else {
            return try await DryRun.show(manifest, options: options, isJSON: presentation.isJSON)
        }
        let journal = presentation.isJournaled ? Journal(job: manifest.name) : nil
        defer { journal?.end() }
        let tell: @Sendable (RunEvent) -> Void = { [presentation] event in
            journal?.send(event)
            presentation.show(event)
        }
        let runner = try BatchRunner(
            manifest: manifest,
            options: options,
            onEvent: presentation.showsEvents || journal != nil ? tell : nil
        )
        let signals = Signals { code in
            if !presentation.isQuiet { Output.message("stopping: finishing the running items") }
            runner.stop(code)
        } onGivingUp: {
            guard !presentation.isQuiet else { return }
            Output.message("stopped before all running items were finished; the next run makes them")
        }
        // Also while the command of --on-finish runs.
        defer { withExtendedLifetime(signals) {} }
        do {
            var report = try await run(runner)
            // A summary that could not be written changes the exit code of the process.
            if let failure = Output.failure { report.exit = .graver(report.exit, failure.exit) }
            await presentation.hooks.tell(report, of: manifest)
            return report.exit
        } catch {
            // Another run holds the job, and reports its own end.
            let ended = RunError(error)
            if ended.exit != .held {
                await presentation.hooks.tell(RunReport(stoppedBy: ended), of: manifest)
            }
            throw error
        }
    }

    private func run(_ runner: BatchRunner) async throws -> RunReport {
        let metrics = try presentation.metricsPath.map { path in
            try MetricsFile(
                path: path,
                format: presentation.metricsFormat,
                manifest: manifest,
                options: options,
                runner: runner
            )
        }
        let display = try ProgressDisplay(presentation.shownProgress) { runner.progress }
        do {
            let report = try await runner.run(
                showing: { report in
                    display.stop()
                    return presentation.end(report, commands)
                },
                beginning: begin
            )
            metrics?.end(report.exit)
            return report
        } catch {
            display.stop()
            metrics?.end(error.exit)
            throw error
        }
    }
}
