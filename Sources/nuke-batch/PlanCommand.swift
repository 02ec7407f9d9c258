import NukeBatch

/// `plan`: what `run` would do.
enum PlanCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let manifest = try Arguments.manifest(arguments.operands[0])
            let forecast = try Forecast(
                manifest: manifest,
                options: options,
                forEachItem: arguments.has("--items") ? { Output.result(ItemsCommand.text($0)) } : nil
            )
            for warning in forecast.warnings { Output.message("warning: \(Output.printable(warning))") }
            Output.result(arguments.has("--json") ? JSONLine.text(forecast) : text(forecast))
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    private static func text(_ forecast: Forecast) -> String {
        let rows = [
            ("items", forecast.items), ("new", forecast.new), ("changed", forecast.changed),
            ("done", forecast.done),
            ("failed", forecast.failed), ("duplicate rows", forecast.duplicates),
            ("outputs to make", forecast.outputs.make), ("outputs to keep", forecast.outputs.keep),
            ("outputs to prune", forecast.outputs.prune),
        ]
        let width = rows.map { String($0.1).count }.max() ?? 0
        return rows.map { name, count in
            String(repeating: " ", count: width - String(count).count) + "\(count) \(name)"
        }.joined(separator: "\n")
    }
}
