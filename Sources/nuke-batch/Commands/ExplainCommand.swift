import JobManifest
import JobPlanning
import JobReports

/// `explain`: shows the history of the items that a URL, a path or an id selects.
struct ExplainCommand: Command {
    var job = JobOptions()
    /// A URL, an output's path or an item's id.
    var item = ""
    var isJSON = false
    var presigns = false

    static let name = CommandName.explain
    static let summary = "Explain one item: its requests, cache use, attempts and outputs"
    static let operands: [Operand<Self>] = [
        .required(.manifest, \.job.manifestPath), .required(.text("URL|PATH|ID"), \.item),
    ]
    static let table = [
        RunOptions.stateFile.within(\Self.job.run),
        .flag("--json", \.isJSON, help: "Print NDJSON, one line per item"),
        .flag(
            "--presign",
            \.presigns,
            help: "Add links that open what is in buckets, for an hour and for everybody"
        ),
    ]

    /// The greatest number of items that are explained; more are listed.
    private static let explained = 3

    static let examples: CommandExamples = [
        "nuke-batch explain jobs/thumbnails.json https://example.com/a.jpg":
            "Show what happened to the item with this URL",
        "nuke-batch explain jobs/thumbnails.json small/a.webp": "Show why an output is as it is",
    ]

    func perform() async throws -> ExitCode {
        let explainer = try ItemExplainer(try job.recordedManifest(), options: job.run, presigns: presigns)
        defer { explainer.close() }
        let items = try await explainer.items(item)
        guard !items.isEmpty else {
            throw RunError.wrongInput(
                "no item has the URL, id or output path \(item): "
                    + "`\(job.nextCommands.items)` lists all planned items"
            )
        }
        if isJSON {
            for item in items { Output.result(JSONLine.text(item)) }
        } else if items.count <= Self.explained {
            Output.result(Output.printableLines(items.map(\.text).joined(separator: "\n\n")))
        } else {
            let count = items.count < ItemExplainer.limit ? "\(items.count)" : "\(items.count) or more"
            Output.result("\(count) items match; select one by its full URL or its id:")
            for item in items { Output.result(Output.printable("  \(item.line)")) }
        }
        return .done
    }
}
