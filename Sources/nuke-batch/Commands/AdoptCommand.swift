import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// `adopt`: takes over outputs that another tool has made, so that no run makes them again.
struct AdoptCommand: JobCommand {
    var job = JobOptions()
    var isDryRun = false
    var acceptsSmaller = false
    var listsItems = false
    var isJSON = false

    static let name = CommandName.adopt
    static let summary = "Take over outputs that another tool has made"
    static let table =
        [RunOptions.stateFile, RunOptions.outputFolder, RunOptions.partition].within(\Self.job.run) + [
            .flag("--dry-run", short: "-n", \.isDryRun, help: "Record nothing; only show what would be"),
            .flag(
                "--smaller",
                \.acceptsSmaller,
                help: "Take outputs that are smaller than asked, as of originals that are not enlarged"
            ),
            .flag("--items", \.listsItems, help: "List every output, not only those that are refused"),
            .flag("--json", \.isJSON, help: "Print NDJSON: the outputs, then the counts"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch adopt jobs/thumbnails.json --dry-run": "Compare a site with a manifest",
        "nuke-batch adopt jobs/thumbnails.json": "Take over the images that are there",
    ]

    func perform() async throws -> ExitCode {
        let adoption = try await Adoption(
            try job.manifest(),
            options: job.run,
            isDryRun: isDryRun,
            acceptsSmaller: acceptsSmaller
        ) { finding in
            guard listsItems || finding.result == .refused else { return }
            Output.result(isJSON ? JSONLine.text(finding) : Output.printable(finding.text))
        }
        for warning in adoption.warnings { Output.warn(warning) }
        Output.result(isJSON ? JSONLine.text(Total(adoption)) : text(adoption))
        if !isJSON, !isDryRun, adoption.missing + adoption.refusals > 0 {
            Output.result("to make the rest: \(job.nextCommands.resume)")
        }
        return adoption.refusals == 0 ? .done : .someFailed
    }

    private func text(_ adoption: Adoption) -> String {
        let reasons = adoption.refused.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { "\($0.key.rawValue) \(Quantity.grouped($0.value))" }
        let refused = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
        let verb = isDryRun ? "would be adopted" : "adopted"
        return
            "\(Quantity.count(adoption.adopted, "output")) \(verb), \(Quantity.grouped(adoption.missing)) missing, "
            + "\(Quantity.grouped(adoption.refusals)) refused\(refused)"
    }

    /// The counts, as the last line of JSON.
    private struct Total: Encodable, Sendable {
        let adopted, missing, refused: Int
        /// The number of refused outputs by reason.
        let reasons: [String: Int]
        /// The number of items that need no run.
        let finished: Int

        init(_ adoption: Adoption) {
            (adopted, missing, refused) = (adoption.adopted, adoption.missing, adoption.refusals)
            reasons = Dictionary(uniqueKeysWithValues: adoption.refused.map { ($0.key.rawValue, $0.value) })
            finished = adoption.finished
        }
    }
}
