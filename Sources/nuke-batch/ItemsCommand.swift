import NukeBatch

/// `items`: the job's items as a table, as lines of JSON or as CSV.
enum ItemsCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let manifest = try Arguments.manifest(arguments.operands[0])
            let state = try JobState(manifest, options: options)
            let columns = manifest.facts.flatMap(\.columns)
            let (isJSON, isCSV) = (arguments.has("--json"), arguments.has("--csv"))
            if isCSV {
                let names = ["index,id,url,state,priority,attempts,error,message"]
                Output.result((names + columns.map { "facts.\($0)" }).joined(separator: ","))
            }
            try state.forEachItem(try ItemSelection(arguments)) { item in
                Output.result(isJSON ? JSONLine.text(item) : isCSV ? csv(item, columns) : text(item))
            }
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    static func text(_ item: ItemListing) -> String {
        let error = item.error.map { "  \($0): \(item.message ?? "")" } ?? ""
        let state = item.state + String(repeating: " ", count: max(0, 12 - item.state.count))
        return Output.printable("\(state)\(item.shownURL)\(error)")
    }

    /// A row; facts have a column a value, named as in JSON with a dot between.
    private static func csv(_ item: ItemListing, _ columns: [String]) -> String {
        let fields = [
            String(item.index), item.id ?? "", item.url, item.state, item.priority, String(item.attempts),
            item.error ?? "", item.message ?? "",
        ]
        return CSVRow.text(fields + columns.map { item.facts?.text(ofColumn: $0) ?? "" })
    }
}

extension ItemSelection {
    /// What `--state`, `--error` and `--url` select.
    init(_ arguments: Arguments) throws(Arguments.Failure) {
        let states = Self.words(arguments["--state"])
        if let unknown = states.first(where: { !Self.knownStates.contains($0) }) {
            let known = Self.knownStates.joined(separator: ", ")
            throw Arguments.Failure(message: "there is no state \(unknown); the states are \(known)")
        }
        self.init(states: Set(states), errors: Set(Self.words(arguments["--error"])), url: arguments["--url"])
    }

    private static func words(_ list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { String($0) }
    }
}
