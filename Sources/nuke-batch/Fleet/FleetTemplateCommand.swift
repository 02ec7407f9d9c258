import Fleet
import JobPlanning

/// `fleet template`: a submission file for an engine.
struct FleetTemplateCommand: Command {
    var fleet = FleetOptions()
    var engine = FleetTemplate.slurm

    static let name = CommandName.fleetTemplate
    static let summary = "Print a submission file for a plan and an engine"
    static let operands: [Operand<Self>] = [.required(.choice("ENGINE"), \.engine)]
    static let table: [Option<Self>] = FleetOptions.table.within(\.fleet)

    static let examples: CommandExamples = [
        "nuke-batch fleet template slurm --store /mnt/nfs/job > fleet.sh": "Print a script for sbatch",
        "nuke-batch fleet template kubernetes --store s3://jobs/job | kubectl apply -f -":
            "Begin an indexed job of Kubernetes",
    ]

    func perform() async throws -> ExitCode {
        let store = try fleet.openStore()
        let plan = try await store.trustedPlan()
        Output.result(engine.text(TemplateFacts(plan, store: store.place)))
        return .done
    }
}
