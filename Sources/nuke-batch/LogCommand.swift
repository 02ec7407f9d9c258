import Foundation
import NukeBatch

/// `log`: what went over the network, as a table, as lines of JSON or as an HTTP archive.
enum LogCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let state = try JobState(try Arguments.manifest(arguments.operands[0]), options: options)
            if let path = arguments["--har"] {
                try write(try state.networkArchive(), to: path)
            } else {
                let isJSON = arguments.has("--json")
                try state.forEachRequest { Output.result(isJSON ? JSONLine.text($0) : text($0)) }
            }
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    private static func write(_ archive: Data, to path: String) throws {
        guard path != "-" else { return Output.result(String(decoding: archive, as: UTF8.self)) }
        do {
            try archive.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw RunError.machine("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// As `2026-01-31T10:00:00.250Z  200  12 ms  20000 bytes  GET https://example.com/a.jpg`.
    private static func text(_ request: RequestListing) -> String {
        let answer = request.status.map(String.init) ?? "---"
        let time = String(format: "%.0f", request.milliseconds)
        let size = request.bytes.formatted(.byteCount(style: .decimal))
        let error = request.error.map { "  \($0)" } ?? ""
        return Output.printable(
            "\(request.started)  \(answer)  \(time) ms  \(size)  \(request.method) \(request.url)\(error)"
        )
    }
}
