import Foundation
import JobManifest
import JobPlanning
import JobReports

/// `report`: writes the job as one page of HTML.
struct ReportCommand: JobCommand {
    var job = JobOptions()
    var outputPath: String?

    static let name = CommandName.report
    static let summary = "Write one HTML page: totals, failures, times, sizes, images"
    static let table =
        JobOptions.looking.within(\Self.job) + [
            .value(
                "--output",
                short: "-o",
                \.outputPath,
                as: .file,
                help: "Write the page to FILE or s3://BUCKET/KEY (default: standard output)"
            )
        ]

    static let examples: CommandExamples = [
        "nuke-batch report jobs/thumbnails.json -o report.html": "Write the page to a file",
        "nuke-batch report jobs/thumbnails.json": "Print the page",
    ]

    func perform() async throws -> ExitCode {
        let place = try WrittenPlace.output(outputPath ?? "-", of: "--output")
        let manifest = try job.recordedManifest()
        let report = try await HTMLReport(
            manifest,
            options: job.run,
            partitions: try job.partitions(of: manifest)
        )
        let page = Data((report.html + "\n").utf8)
        switch place {
        case .object(let location): try await report.store(page, at: location, of: manifest)
        case .path(let path): try Output.write(page, toFile: path)
        }
        return .done
    }
}
