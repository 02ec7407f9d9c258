import Fleet
import JobManifest
import JobPlanning

/// `fleet key`: the canonical form of rows, by which engines find duplicates.
struct FleetKeyCommand: JobCommand {
    var job = JobOptions()
    var source = 0
    var isJSON = false

    static let name = CommandName.fleetKey
    static let summary = "Print the keys by which a plan finds rows that repeat others"
    static let table: [Option<Self>] = [
        .value(
            "--source",
            \.source,
            as: .number(0...100_000),
            help: "Read rows of the manifest's source N, counted from 0 (default: 0)"
        ),
        .flag("--json", \.isJSON, help: "Print JSON: where the rows of all lists are"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch fleet key jobs/thumbnails.json < rows.csv":
            "Print a line with the key of each row of the first source",
        "nuke-batch fleet key jobs/thumbnails.json --json":
            "Print where the rows of all lists are, for an engine that reads them",
    ]

    /// Prints the canonical form of rows, or as JSON where the rows are.
    func perform() throws -> ExitCode {
        guard !isJSON else {
            let lists = try ListedRows.all(of: try job.manifest())
            Output.result("[" + lists.map { JSONLine.text($0) }.joined(separator: ",") + "]")
            return .done
        }
        var output = Output.Buffer()
        try PartitionKeys(try job.manifest(), source: source).forEachLine {
            output.add($0 + "\n")
        }
        output.flush()
        return .done
    }
}
