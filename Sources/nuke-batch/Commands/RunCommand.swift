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
        + RunPresentation.table.within(\.presentation)

    let options: Options

    func perform() async throws -> ExitCode {
        let manifest = try options.job.manifest()
        return try await RunSession(manifest, job: options.job, presentation: options.presentation).perform()
    }
}
