import JobManifest
import JobPlanning
import JobReports

/// `items`: lists the items of the job as a table, NDJSON or CSV.
struct ItemsCommand: JobCommand {
    var job = JobOptions()
    var selection = ItemSelection()
    var isJSON = false
    var isCSV = false

    static let name = CommandName.items
    static let summary = "List items with their states and errors"
    static let table =
        ItemSelection.table.within(\Self.selection) + JobOptions.looking.within(\.job) + [
            .flag("--json", \.isJSON, help: "Print NDJSON with outputs, one line per item"),
            .flag("--csv", \.isCSV, help: "Print CSV, one row per item"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch items jobs/thumbnails.json --state failed,quarantined":
            "List the failed items with their errors",
        "nuke-batch items jobs/thumbnails.json --url '*/products/*' --json":
            "Print the matching items as NDJSON",
    ]

    func perform() async throws -> ExitCode {
        if isJSON, isCSV { throw UsageError("items prints either --json or --csv: give one") }
        let manifest = try job.recordedManifest()
        let parts = try job.parts(of: manifest)
        let columns = manifest.facts.flatMap(\.columns)
        if isCSV {
            let names = ["index,id,url,state,priority,attempts,error,message"]
            Output.result((names + columns.map { "facts.\($0)" }).joined(separator: ","))
        }
        for part in parts {
            try JobState(manifest, options: part).forEachItem(selection) { item in
                let line =
                    isJSON
                    ? JSONLine.text(item) : isCSV ? csv(item, columns: columns) : ItemTable.line(item)
                Output.result(line)
            }
        }
        return .done
    }

    /// Returns a row; each value of a fact has a column, named as in JSON with a dot between.
    private func csv(_ item: ItemListing, columns: [String]) -> String {
        let fields = [
            String(item.index), item.id ?? "", item.url, item.state, item.priority, String(item.attempts),
            item.error ?? "", item.message ?? "",
        ]
        return CSVRow.text(fields + columns.map { item.facts?.text(ofColumn: $0) ?? "" })
    }
}
