import JobManifest
import JobPlanning
import JobReports

/// `verify`: compares finished outputs with their records; `--repair` remakes the damaged ones.
struct VerifyCommand: JobCommand {
    var job = JobOptions()
    var presentation = RunPresentation()
    var isRepairing = false

    static let name = CommandName.verify
    static let summary = "Check finished outputs against their recorded sizes and hashes"
    static let table =
        [
            .flag("--repair", \Self.isRepairing, help: "Remake damaged outputs, then run the job"),
            JobOptions.allShards.within(\.job),
        ]
        + (RunOptions.planning + RunOptions.execution).within(\.job.run)
        + RunPresentation.table.within(\.presentation)

    static let examples: CommandExamples = [
        "nuke-batch verify jobs/thumbnails.json": "Check each output against its recorded hash",
        "nuke-batch verify jobs/thumbnails.json --repair": "Remake missing and damaged outputs",
    ]

    func perform() async throws -> ExitCode {
        let isJSON = presentation.isJSON
        if isRepairing, job.isAboutAllShards {
            throw UsageError("verify --repair runs the job: give --shard I/N, one partition at a time")
        }
        let manifest = try isRepairing ? job.manifest() : job.recordedManifest()
        let parts = try job.parts(of: manifest)
        var verifications: [Verification] = []
        for part in parts {
            let verification = try await Verification(manifest, options: part) { damage in
                Output.result(isJSON ? JSONLine.text(damage) : text(damage))
            }
            verifications.append(verification)
        }
        let checked = verifications.reduce(0) { $0 + $1.checked }
        let damaged = verifications.reduce(0) { $0 + $1.damaged.count }
        Output.result(
            isJSON
                ? JSONLine.text(["checked": checked, "damaged": damaged])
                : "\(Quantity.count(checked, "output")) checked, \(Quantity.grouped(damaged)) damaged"
        )
        guard damaged > 0 else { return .done }
        guard isRepairing else {
            guard !isJSON else { return .someFailed }
            for (part, verification) in zip(parts, verifications) where !verification.damaged.isEmpty {
                let command = NextCommands(manifestPath: job.manifestPath, options: part).verify
                Output.result("to repair them: \(command) --repair")
            }
            return .someFailed
        }
        for verification in verifications { try verification.forgetDamaged() }
        var repair = job
        // An original can be damaged as its output was: both may be one file with two names.
        repair.run.comparesOriginals = true
        let exit = try await RunSession(manifest, job: repair, presentation: presentation).perform()
        if exit == .done, verifications.contains(where: \.hasDamagedShards), !presentation.isQuiet {
            Output.message(
                "shards with damage were packed again as a whole; to remove them: \(job.nextCommands.prune) --delete"
            )
        }
        return exit
    }

    private func text(_ damage: Verification.Damage) -> String {
        Output.printable("\(damage.problem)  \(damage.path)  \(damage.message)")
    }
}
