import JobPlanning

/// `run`: does everything of the job that is not done yet.
struct RunCommand: JobCommand {
    var job = JobOptions()
    var presentation = RunPresentation()

    static let name = CommandName.run
    static let summary = "Load, process and write everything that is not done yet"
    static let table =
        (RunOptions.planning + RunOptions.execution + [RunOptions.fresh]).within(\Self.job.run)
        + ([RunPresentation.dryRun] + RunPresentation.table).within(\.presentation)

    static let examples: CommandExamples = [
        "nuke-batch run jobs/thumbnails.json": "Make everything that is not done yet; run it again to resume",
        "nuke-batch run jobs/thumbnails.json -q --fail-on new --max-duration 4h":
            "Run from cron, and print only new failures",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try job.manifest()
        return try await RunSession(manifest, job: job, presentation: presentation).perform()
    }
}
