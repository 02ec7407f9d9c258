import Foundation
import NukeBatch

/// `report`: the job as one page of HTML.
enum ReportCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let report = try HTMLReport(try Arguments.manifest(arguments.operands[0]), options: options)
            let path = arguments["--output"] ?? "-"
            guard path != "-" else {
                Output.result(report.html)
                return .done
            }
            do {
                try Data(report.html.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw RunError.machine("\(path) cannot be written: \(error.localizedDescription)")
            }
            return .done
        } catch {
            return Failure.report(error)
        }
    }
}
