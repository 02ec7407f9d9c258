import Foundation
import NukeBatch

/// `status`: how many items are in which state, and how the last runs ended.
enum StatusCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let status = try JobState(try Arguments.manifest(arguments.operands[0]), options: options)
                .status()
            Output.result(arguments.has("--json") ? JSONLine.text(status) : text(status))
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    private static func text(_ status: JobStatus) -> String {
        guard let items = status.items else { return "never run" }
        var lines = ["\(items) items"]
        lines += JobStatus.stateNames.compactMap { name in
            status.states[name].flatMap { $0 > 0 ? "  \($0) \(name)" : nil }
        }
        lines += status.failures.sorted { $0.value > $1.value }.map { "  failed as \($0.key): \($0.value)" }
        for run in status.runs.prefix(5) {
            let end = run.exit.map { "exit \($0)" } ?? (run.ended == nil ? "going on" : "ended uncleanly")
            lines.append("run \(run.run)  \(run.started)  \(end)")
        }
        return Output.printableLines(lines.joined(separator: "\n"))
    }
}
