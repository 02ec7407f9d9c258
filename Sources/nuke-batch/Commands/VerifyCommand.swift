import JobManifest
import JobPlanning
import JobReports

/// `verify`: compares finished outputs with their records; `--repair` remakes the damaged ones.
struct VerifyCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var presentation = RunPresentation()
        var isRepairing = false
    }

    static let name = CommandName.verify
    static let summary = "Check finished outputs against their recorded sizes and hashes"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table =
        [.flag("--repair", sets: \Options.isRepairing, help: "Remake damaged outputs, then run the job")]
        + (RunOptions.planning + RunOptions.execution).within(\.job.run)
        + RunPresentation.table.within(\.presentation)

    static let examples = [
        CommandExample(
            "nuke-batch verify jobs/thumbnails.json",
            "Check each output against its recorded hash"
        ),
        CommandExample(
            "nuke-batch verify jobs/thumbnails.json --repair",
            "Remake missing and damaged outputs"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        let isJSON = options.presentation.isJSON
        let manifest = try options.isRepairing ? options.job.manifest() : options.job.recordedManifest()
        let verification = try Verification(manifest, options: options.job.run) { damage in
            Output.result(isJSON ? JSONLine.text(damage) : text(damage))
        }
        let damaged = verification.damaged.count
        Output.result(
            isJSON
                ? JSONLine.text(["checked": verification.checked, "damaged": damaged])
                : "\(Quantity.count(verification.checked, "output")) checked, \(Quantity.grouped(damaged)) damaged"
        )
        guard damaged > 0 else { return .done }
        guard options.isRepairing else {
            let command = options.job.nextCommands.verify
            if !isJSON { Output.result("to repair them: \(command) --repair") }
            return .someFailed
        }
        try verification.forgetDamaged()
        return try await RunSession(manifest, job: options.job, presentation: options.presentation).perform()
    }

    private func text(_ damage: Verification.Damage) -> String {
        Output.printable("\(damage.problem)  \(damage.path)  \(damage.message)")
    }
}
