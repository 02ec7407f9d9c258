import JobManifest
import JobPlanning
import JobReports
import NukeBatch

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
            .flag("--items", sets: \.listsItems, help: "List the items"),
            .flag("--json", sets: \.isJSON, help: "Print the counts as JSON"),
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
        try await Self.show(
            try options.job.manifest(),
            options: options.job.run,
            listsItems: options.listsItems,
            isJSON: options.isJSON
        )
    }

    /// Prints what a run with `options` would do, after a retry of the items that `selection` selects.
    static func show(
        _ manifest: Manifest,
        options: RunOptions,
        requeuing selection: ItemSelection? = nil,
        listsItems: Bool = false,
        isJSON: Bool
    ) async throws -> ExitCode {
        let forecast = try await Forecast(
            manifest: manifest,
            options: options,
            sitemaps: SitemapLoader(),
            requeuing: selection,
            forEachItem: listsItems ? { Output.result(ItemsCommand.text($0)) } : nil
        )
        for warning in forecast.warnings { Output.message("warning: \(Output.printable(warning))") }
        Output.result(isJSON ? JSONLine.text(forecast) : text(forecast))
        return .done
    }

    private static func text(_ forecast: Forecast) -> String {
        let rows = [
            ("items", forecast.items), ("new", forecast.new), ("changed", forecast.changed),
            ("done", forecast.done),
            ("failed", forecast.failed), ("duplicate rows", forecast.duplicates),
            ("outputs to make", forecast.outputs.make), ("outputs to keep", forecast.outputs.keep),
            ("outputs to prune", forecast.outputs.prune), ("originals to load", forecast.originals.load),
            ("originals to revalidate", forecast.originals.revalidate),
            ("originals available locally", forecast.originals.use),
        ]
        let width = rows.map { String($0.1).count }.max() ?? 0
        let lines = rows.map { name, count in
            String(repeating: " ", count: width - String(count).count) + "\(count) \(name)"
        }
        return (lines + [estimate(forecast.originals)]).joined(separator: "\n")
    }

    /// Returns the expected transfers and the least time that they take.
    private static func estimate(_ originals: OriginalsForecast.Originals) -> String {
        guard originals.load + originals.revalidate > 0 else { return "no network transfers" }
        let bytes = originals.loadBytes.map { "about \(Quantity.bytes($0))" } ?? "an unknown number of bytes"
        return "network transfers: \(bytes), at least \(Quantity.duration(originals.seconds))"
    }
}
