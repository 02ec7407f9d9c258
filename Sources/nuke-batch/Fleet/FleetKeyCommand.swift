import Fleet
import JobManifest
import JobPlanning

/// `fleet key`: the canonical form of rows, by which engines find duplicates.
struct FleetKeyCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var source = 0
        var isJSON = false
    }

    static let name = CommandName.fleetKey
    static let summary = "Print the keys by which a plan finds rows that repeat others"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table: [Option<Options>] = [
        .value(
            "--source",
            sets: \.source,
            as: .number(0...100_000),
            help: "Read rows of the manifest's source N, counted from 0 (default: 0)"
        ),
        .flag("--json", sets: \.isJSON, help: "Print JSON: where the rows of all lists are"),
    ]

    static let examples = [
        CommandExample(
            "nuke-batch fleet key jobs/thumbnails.json < rows.csv",
            "Print a line with the key of each row of the first source"
        ),
        CommandExample(
            "nuke-batch fleet key jobs/thumbnails.json --json",
            "Print where the rows of all lists are, for an engine that reads them"
        ),
    ]

    let options: Options

    /// Prints the canonical form of rows, or as JSON where the rows are.
    func perform() throws -> ExitCode {
        guard !options.isJSON else {
            let lists = try ListedRows.all(of: try options.job.manifest())
            Output.result("[" + lists.map { JSONLine.text($0) }.joined(separator: ",") + "]")
            return .done
        }
        var output = Output.Buffer()
        try PartitionKeys(try options.job.manifest(), source: options.source).forEachLine {
            output.add($0 + "\n")
        }
        output.flush()
        return .done
    }
}
