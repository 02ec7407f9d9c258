import NukeBatch

/// `plan`: what `run` would do.
enum PlanCommand {
    static func perform(_ arguments: Arguments) async -> ExitCode {
        do {
            let options = try RunOptions(arguments)
            let manifest = try Arguments.manifest(arguments.operands[0])
            let forecast = try await Forecast(
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
            ("outputs to prune", forecast.outputs.prune), ("originals to load", forecast.originals.load),
            ("originals to ask for again", forecast.originals.revalidate),
            ("originals at hand", forecast.originals.use),
        ]
        let width = rows.map { String($0.1).count }.max() ?? 0
        let lines = rows.map { name, count in
            String(repeating: " ", count: width - String(count).count) + "\(count) \(name)"
        }
        return (lines + [estimate(forecast.originals)]).joined(separator: "\n")
    }

    /// What the network will take, as far as that can be known.
    private static func estimate(_ originals: OriginalsForecast.Originals) -> String {
        guard originals.load + originals.revalidate > 0 else { return "nothing goes over the network" }
        let bytes = originals.loadBytes.map { "about \(RunReport.size($0))" } ?? "an unknown number of bytes"
        return "over the network \(bytes), in \(RunProgress.duration(originals.seconds)) at the least"
    }
}
