import JobPlanning

/// `warm`: loads the originals of the job and makes no outputs.
struct WarmCommand: Command {
    var run = RunCommand()

    static let name = CommandName.warm
    static let summary = "Load originals into the cache; make no outputs"
    static let operands: [Operand<Self>] = [.required(.manifest, \.run.job.manifestPath)]
    static let table = RunCommand.table.without("--only-output").within(\Self.run)

    static let examples: CommandExamples = [
        "nuke-batch warm jobs/thumbnails.json": "Load the originals into the cache, and pin them",
        "nuke-batch warm jobs/thumbnails.json --revalidate -j 4":
            "Revalidate every cached original, at most four at once",
    ]

    func perform() async throws -> ExitCode {
        var run = run
        run.job.run.isWarming = true
        return try await run.perform()
    }
}
