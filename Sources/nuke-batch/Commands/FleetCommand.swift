import JobPlanning

/// `fleet ACTION`: one job on many machines.
struct FleetCommand: Command {
    typealias Options = FleetOptions

    static let name = CommandName.fleet
    static let summary = "Plan one job for many machines, work on it, and prove that it is complete"
    static let operands: [Operand<Options>] = [
        .required(.choice(), sets: \.action),
        .optional(.text("MANIFEST|ENGINE|-"), sets: \.target),
    ]
    static let table = FleetOptions.table

    static let examples = [
        CommandExample(
            "nuke-batch fleet plan jobs/thumbnails.json --store /mnt/nfs/job",
            "Cut the job into partitions that workers do"
        ),
        CommandExample(
            "nuke-batch fleet work --store /mnt/nfs/job --from-env",
            "Do the partition that Slurm, Kubernetes or AWS Batch names"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        switch options.action {
        case .plan: try await FleetPlanning(options: options).perform()
        case .key: try FleetPlanning(options: options).printKeys()
        case .work: try await FleetWork(options: options).perform()
        case .status: try await FleetLook(options: options).perform()
        case .collect: try await FleetProof(options: options).perform()
        case .template: try await FleetLook(options: options).printTemplate()
        }
    }
}
