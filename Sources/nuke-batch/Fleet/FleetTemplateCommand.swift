import Fleet
import JobPlanning

/// `fleet template`: a submission file for an engine.
struct FleetTemplateCommand: Command {
    struct Options: CommandOptions {
        var fleet = FleetOptions()
        var engine = FleetTemplate.slurm
    }

    static let name = CommandName.fleetTemplate
    static let summary = "Print a submission file for a plan and an engine"
    static let operands: [Operand<Options>] = [.required(.choice("ENGINE"), sets: \.engine)]
    static let table: [Option<Options>] = FleetOptions.table.within(\.fleet)

    static let examples = [
        CommandExample(
            "nuke-batch fleet template slurm --store /mnt/nfs/job > fleet.sh",
            "Print a script for sbatch"
        ),
        CommandExample(
            "nuke-batch fleet template kubernetes --store s3://jobs/job | kubectl apply -f -",
            "Begin an indexed job of Kubernetes"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        let store = try options.fleet.openStore()
        let plan = try await store.trustedPlan()
        Output.result(options.engine.text(TemplateFacts(plan, store: store.place)))
        return .done
    }
}
