import NukeBatch

/// `export`: the items with everything that is known of them and their outputs, as CSV or as lines of JSON.
enum ExportCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let manifest = try Arguments.manifest(arguments.operands[0])
            let state = try JobState(manifest, options: options)
            var output = Output.Buffer()
            if arguments.has("--json") {
                try state.forEachExport(try ItemSelection(arguments)) { output.add(JSONLine.text($0) + "\n") }
            } else {
                // RFC 4180 ends every row with both.
                let isFormulaSafe = arguments.has("--formula-safe")
                let columns = ExportColumns(manifest)
                output.add(CSVRow.text(columns.names) + "\r\n")
                try state.forEachExport(try ItemSelection(arguments)) { item in
                    let row = CSVRow.text(columns.values(of: item), isFormulaSafe: isFormulaSafe)
                    output.add(row + "\r\n")
                }
            }
            output.flush()
            return .done
        } catch {
            return Failure.report(error)
        }
    }
}
