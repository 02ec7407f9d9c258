import JobPlanning

/// `plan`: shows what `run` would do.
struct PlanCommand: JobCommand {
    var job = JobOptions()
    var listsItems = false
    var isJSON = false

    static let name = CommandName.plan
    static let summary = "Show what run would do; load no images and write nothing"
    static let table =
        RunOptions.planning.within(\Self.job.run) + [
            .flag("--items", \.listsItems, help: "List the items with their reasons"),
            .flag("--json", \.isJSON, help: "Print JSON: the items, if listed, and the counts"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch plan jobs/thumbnails.json": "Count what the next run would load and make",
        "nuke-batch plan jobs/thumbnails.json --items --offline": "List the items of a run without network",
    ]

    func perform() async throws -> ExitCode {
        try await DryRun.show(try job.manifest(), options: job.run, listsItems: listsItems, isJSON: isJSON)
    }
}
