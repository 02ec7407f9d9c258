import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// `adopt`: takes over outputs that another tool has made, so that no run makes them again.
struct AdoptCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var isDryRun = false
        var acceptsSmaller = false
        var listsItems = false
        var isJSON = false
    }

    static let name = CommandName.adopt
    static let summary = "Take over outputs that another tool has made"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table =
        [RunOptions.stateFile, RunOptions.outputFolder, RunOptions.partition].within(\Options.job.run) + [
            .flag(
                "--dry-run",
                short: "-n",
                sets: \.isDryRun,
                help: "Record nothing; only show what would be"
            ),
            .flag(
                "--smaller",
                sets: \.acceptsSmaller,
                help: "Take outputs that are smaller than asked, as of originals that are not enlarged"
            ),
            .flag("--items", sets: \.listsItems, help: "List every output, not only those that are refused"),
            .flag("--json", sets: \.isJSON, help: "Print NDJSON: the outputs, then the counts"),
        ]

    static let examples = [
        CommandExample("nuke-batch adopt jobs/thumbnails.json --dry-run", "Compare a site with a manifest"),
        CommandExample("nuke-batch adopt jobs/thumbnails.json", "Take over the images that are there"),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        let isJSON = options.isJSON
        let adoption = try await Adoption(
            try options.job.manifest(),
            options: options.job.run,
            isDryRun: options.isDryRun,
            acceptsSmaller: options.acceptsSmaller
        ) { finding in
            guard options.listsItems || finding.result == .refused else { return }
            Output.result(isJSON ? JSONLine.text(finding) : Output.printable(finding.text))
        }
        for warning in adoption.warnings { Output.message("warning: \(Output.printable(warning))") }
        Output.result(isJSON ? JSONLine.text(Total(adoption)) : text(adoption))
        if !isJSON, !options.isDryRun, adoption.missing + adoption.refusals > 0 {
            Output.result("to make the rest: \(options.job.nextCommands.resume)")
        }
        return adoption.refusals == 0 ? .done : .someFailed
    }

    private func text(_ adoption: Adoption) -> String {
        let reasons = adoption.refused.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .map { "\($0.key.rawValue) \(Quantity.grouped($0.value))" }
        let refused = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
        let verb = options.isDryRun ? "would be adopted" : "adopted"
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
