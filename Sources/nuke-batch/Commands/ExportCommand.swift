import JobManifest
import JobPlanning
import JobReports

/// `export`: writes the items with all their details and outputs as CSV, NDJSON or Parquet.
struct ExportCommand: JobCommand {
    var job = JobOptions()
    var selection = ItemSelection()
    /// CSV is the default; the option says so and changes nothing.
    var isCSV = false
    var isFormulaSafe = false
    var isJSON = false
    var parquetPath: String?

    static let name = CommandName.export
    static let summary = "Export items and outputs with all their details"
    static let table =
        ItemSelection.table.within(\Self.selection) + JobOptions.looking.within(\.job) + [
            .flag("--csv", \.isCSV, help: "Print CSV as in RFC 4180, one row per item (default)"),
            .flag(
                "--formula-safe",
                \.isFormulaSafe,
                help: "Put an apostrophe before text that a spreadsheet would evaluate"
            ),
            .flag("--json", \.isJSON, help: "Print NDJSON, one line per item"),
            .value(
                "--parquet",
                \.parquetPath,
                as: .file,
                help:
                    "Write the columns of the CSV with their types to FILE or s3://BUCKET/KEY (needs nuke-batch-parquet)"
            ),
        ]

    static let examples: CommandExamples = [
        "nuke-batch export jobs/thumbnails.json --formula-safe":
            "Print a CSV table that a spreadsheet can open",
        "nuke-batch export jobs/thumbnails.json --json --state done": "Print the finished items as NDJSON",
    ]

    func perform() async throws -> ExitCode {
        let parquetPlace = try self.parquetPlace()
        let manifest = try job.recordedManifest()
        let parts = try job.parts(of: manifest)
        let columns = ExportColumns(manifest)
        if let place = parquetPlace {
            try await columns.writeParquet(to: place, of: manifest) { (add) throws(RunError) in
                for part in parts {
                    try JobState(manifest, options: part).forEachExport(selection, add)
                }
            }
            return .done
        }
        var output = Output.Buffer()
        // RFC 4180 ends every row with both.
        if !isJSON { output.add(CSVRow.text(columns.names) + "\r\n") }
        for part in parts {
            try JobState(manifest, options: part).forEachExport(selection) { item in
                guard !isJSON else { return output.add(JSONLine.text(item) + "\n") }
                let row = CSVRow.text(columns.values(of: item), isFormulaSafe: isFormulaSafe)
                output.add(row + "\r\n")
            }
        }
        output.flush()
        return .done
    }

    /// The Parquet file or object to write; nil for another format.
    private func parquetPlace() throws(UsageError) -> WrittenPlace? {
        guard let text = parquetPath else { return nil }
        try requireOnlyParquet()
        guard !["-", "/dev/stdout"].contains(text) else {
            throw UsageError("--parquet cannot write to standard output: name a file")
        }
        return try WrittenPlace.output(text, of: "--parquet")
    }

    private func requireOnlyParquet() throws(UsageError) {
        let others = [("--csv", isCSV), ("--json", isJSON), ("--formula-safe", isFormulaSafe)]
        guard let other = others.first(where: \.1)?.0 else { return }
        throw UsageError("export writes either --parquet or \(other): give one")
    }
}
