import JobPlanning

/// `warm`: loads the originals of the job and makes no outputs.
struct WarmCommand: Command {
    typealias Options = RunCommand.Options

    static let name = CommandName.warm
    static let summary = "Load originals into the cache; make no outputs"
    static let operands = RunCommand.operands
    static let table = RunCommand.table.without("--only-output")

    static let examples = [
        CommandExample(
            "nuke-batch warm jobs/thumbnails.json",
            "Load the originals into the cache, and pin them"
        ),
        CommandExample(
            "nuke-batch warm jobs/thumbnails.json --revalidate -j 4",
            "Revalidate every cached original, at most four at once"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        var job = options.job
        job.run.isWarming = true
        let manifest = try job.manifest()
        return try await RunSession(manifest, job: job, presentation: options.presentation).perform()
    }
}
