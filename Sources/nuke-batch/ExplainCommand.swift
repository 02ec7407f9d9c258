import NukeBatch

/// `explain`: the lives of the items that a URL, a path or an id means.
enum ExplainCommand {
    /// More than these are listed, and not told.
    private static let told = 3

    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let explainer = try ItemExplainer(try Arguments.manifest(arguments.operands[0]), options: options)
            defer { explainer.close() }
            let what = arguments.operands[1]
            let items = try explainer.items(what)
            guard !items.isEmpty else {
                throw RunError.wrongInput(
                    "no item of the job has \(what) as its URL, its id or an output's path: `nuke-batch items "
                        + "\(arguments.operands[0])` lists all that was planned"
                )
            }
            if arguments.has("--json") {
                for item in items { Output.result(JSONLine.text(item)) }
            } else if items.count <= told {
                Output.result(Output.printableLines(items.map(\.text).joined(separator: "\n\n")))
            } else {
                let count = items.count < ItemExplainer.limit ? "\(items.count)" : "\(items.count) or more"
                Output.result("\(count) items fit; name one of them by its whole URL or its id:")
                for item in items { Output.result(Output.printable("  \(item.line)")) }
            }
            return .done
        } catch {
            return Failure.report(error)
        }
    }
}
