import JobPlanning

/// `plan`: shows what `run` would do.
struct PlanCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var listsItems = false
        var isJSON = false
    }

    static let name = CommandName.plan
    static let summary = "Show what run would do; load no images and write nothing"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table =
        RunOptions.planning.within(\Options.job.run) + [
            .flag("--items", sets: \.listsItems, help: "List the items with their reasons"),
            .flag("--json", sets: \.isJSON, help: "Print JSON: the items, if listed, and the counts"),
        ]

    static let examples = [
        CommandExample("nuke-batch plan jobs/thumbnails.json", "Count what the next run would load and make"),
        CommandExample(
            "nuke-batch plan jobs/thumbnails.json --items --offline",
            "List the items of a run without network"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        try await DryRun.show(
            try options.job.manifest(),
            options: options.job.run,
            listsItems: options.listsItems,
            isJSON: options.isJSON
        )
    }
}
