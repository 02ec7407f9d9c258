import JobPlanning

/// `run`: does everything of the job that is not done yet.
struct RunCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var presentation = RunPresentation()
    }

    static let name = CommandName.run
    static let summary = "Load, process and write everything that is not done yet"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table =
        (RunOptions.planning + RunOptions.execution + [RunOptions.fresh]).within(\Options.job.run)
        + ([RunPresentation.dryRun] + RunPresentation.table).within(\.presentation)

    static let examples = [
        CommandExample(
            "nuke-batch run jobs/thumbnails.json",
            "Make everything that is not done yet; run it again to resume"
        ),
        CommandExample(
            "nuke-batch run jobs/thumbnails.json -q --fail-on new --max-duration 4h",
            "Run from cron, and print only new failures"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        let manifest = try options.job.manifest()
        return try await RunSession(manifest, job: options.job, presentation: options.presentation).perform()
    }
}
