import Foundation
import JobManifest
import JobPlanning
import JobReports

/// `log`: lists network requests as a table, NDJSON or an HTTP archive.
struct LogCommand: JobCommand {
    var job = JobOptions()
    var archivePath: String?
    var isJSON = false

    static let name = CommandName.log
    static let summary = "List network requests, at most the latest 100,000"
    static let table = [
        RunOptions.stateFile.within(\Self.job.run),
        .value(
            "--har",
            \.archivePath,
            as: .file,
            help: "Write HAR 1.2 to FILE for browsers' developer tools (- for standard output)"
        ),
        .flag("--json", \.isJSON, help: "Print NDJSON, one line per request"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch log jobs/thumbnails.json": "List the requests of the latest runs",
        "nuke-batch log jobs/thumbnails.json --har requests.har":
            "Write a file for browsers' developer tools",
    ]

    func perform() async throws -> ExitCode {
        let state = try job.state(of: try job.recordedManifest())
        if let text = archivePath {
            let path = try WrittenPlace.file(text, of: "--har")
            try Output.write(try state.networkArchive() + Data("\n".utf8), toFile: path)
        } else {
            try state.forEachRequest { Output.result(isJSON ? JSONLine.text($0) : text($0)) }
        }
        return .done
    }

    /// Returns a line such as `2026-01-31T10:00:00.250Z  200  12 ms  20.0 kB  GET https://example.com/a.jpg`.
    private func text(_ request: RequestListing) -> String {
        let answer = request.status.map(String.init) ?? "---"
        let time = String(format: "%.0f", request.milliseconds)
        let size = Quantity.bytes(request.bytes)
        let error = request.error.map { "  \($0)" } ?? ""
        return Output.printable(
            "\(request.started)  \(answer)  \(time) ms  \(size)  \(request.method) \(request.url)\(error)"
        )
    }
}
