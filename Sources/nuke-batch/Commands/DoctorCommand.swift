import Files
import JobManifest
import JobPlanning
import JobReports

/// `doctor`: finds what would stop a run, and rebuilds a damaged state.
struct DoctorCommand: Command {
    var manifestPath: String?
    var run = RunOptions()
    var isRebuilding = false
    var isJSON = false

    static let name = CommandName.doctor
    static let summary = "Check the libraries, the machine, and a job's state and cache"
    static let operands: [Operand<Self>] = [.optional(.manifest, \.manifestPath)]
    static let table = [
        RunOptions.stateFile.within(\Self.run),
        .flag(
            "--rebuild",
            \.isRebuilding,
            help: "Rebuild a damaged state from the manifest and the outputs that match their records"
        ),
        .flag("--json", \.isJSON, help: "Print JSON"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch doctor": "Check the libraries and the machine",
        "nuke-batch doctor jobs/thumbnails.json --rebuild": "Rebuild a damaged state from the outputs",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try manifestPath.map { try JobOptions(manifestPath: $0).manifest() }
        if let manifest { try run.checkState(of: manifest) }
        if isRebuilding {
            guard let manifest else {
                throw UsageError("doctor --rebuild needs the MANIFEST of the damaged state")
            }
            try await rebuild(manifest)
        }
        let diagnosis = await Diagnosis(manifest, options: run)
        if isJSON {
            Output.result(JSONLine.text(diagnosis))
        } else {
            for finding in diagnosis.findings { Output.result(Output.printable(line(finding))) }
        }
        return diagnosis.hasTrouble ? .machine : .done
    }

    private func rebuild(_ manifest: Manifest) async throws(RunError) {
        guard
            let rebuilt = try await StateRebuild.perform(manifest, options: run)
        else { return Output.message("the state is intact: nothing to rebuild") }
        for warning in rebuilt.warnings { Output.warn(warning) }
        Output.message(
            Output.printable(
                "rebuilt: \(rebuilt.finished) of \(Quantity.count(rebuilt.items, "item")) keep their results, with "
                    + "\(Quantity.count(rebuilt.outputs, "verified output")); the next run processes the others. The damaged state is now \(rebuilt.aside)"
            )
        )
    }

    private func line(_ finding: Diagnosis.Finding) -> String {
        let remedy = finding.remedy.map { "; \($0)" } ?? ""
        return finding.verdict.rawValue.rightPadded(to: 9)
            + "\(finding.subject): \(finding.message)\(remedy)"
    }
}
