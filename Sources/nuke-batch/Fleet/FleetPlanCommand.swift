import Fleet
import JobManifest
import JobPlanning

/// `fleet plan`: from a manifest to partitions in the store.
struct FleetPlanCommand: JobCommand {
    var fleet = FleetOptions()
    var job = JobOptions()
    var limits = PartitionLimits()
    var step: PlanSteps.Step?
    var duplicates = 0
    var isJSON = false

    static let name = CommandName.fleetPlan
    static let summary = "Cut a job into partitions that many machines do"
    static let table: [Option<Self>] =
        FleetOptions.table.within(\.fleet) + [
            .value(
                "--partition-items",
                \.limits.items,
                as: .number(1...1_000_000),
                help: "Put at most N items into a partition (default: 10000)"
            ),
            .value(
                "--partition-minutes",
                \.limits.minutes,
                as: .number(1...10_000),
                help: "Split hosts that take longer than N minutes at their rate (default: 10)"
            ),
            .flag(
                "--chain",
                \.limits.isChained,
                help: "Let the partitions of a split host follow each other at its whole rate"
            ),
            .value("--step", \.step, as: .choice(), help: "Do one step, between standard input and output"),
            .value(
                "--duplicates",
                \.duplicates,
                as: .number(0...Int.max),
                help: "With --step seal: record that N rows repeat others"
            ),
            .flag("--json", \.isJSON, help: "Print JSON"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch fleet plan jobs/thumbnails.json --store /mnt/nfs/job":
            "Cut the job into partitions of at most 10,000 items, and print the plan's hash",
        "nuke-batch fleet plan rest.json --store s3://jobs/rest --partition-items 500":
            "Plan what an earlier fleet has left, in small partitions",
    ]

    /// Plans on this machine, or does one step of it.
    func perform() async throws -> ExitCode {
        let manifest = try job.manifest()
        try manifest.refuseToDeduplicateParts()
        var limits = limits
        limits.items = min(limits.items, manifest.partitionItems ?? limits.items)
        let store = try fleet.openStore(creates: true)
        let steps = PlanSteps(manifest, limits: limits, store: store)
        var output = Output.Buffer()
        let next = { readLine(strippingNewline: true) }
        switch step {
        case .claim: try steps.claim(next) { output.add($0 + "\n") }
        case .pack: try steps.pack(next) { output.add($0 + "\n") }
        case .write: try await steps.write(next) { output.add($0 + "\n") }
        case .seal: show(try await steps.seal(next, duplicates: duplicates), in: store)
        case nil:
            let scratch = fleet.scratchFolder
            let planner = FleetPlanner(manifest, limits: limits, store: store, scratch: scratch)
            let (plan, warnings) = try await planner.plan()
            for warning in warnings { Output.warn(warning) }
            show(plan, in: store)
        }
        output.flush()
        return .done
    }

    private func show(_ plan: FleetPlan, in store: FleetStore) {
        guard !isJSON else {
            let fields: [String: any Encodable & Sendable] = [
                "hash": plan.hash.description, "items": plan.items, "duplicates": plan.duplicates,
                "partitions": plan.partitions.count, "floorSeconds": plan.floorSeconds,
            ]
            return Output.result(JSONLine.text(fields))
        }
        let items = Quantity.count(plan.items, "item")
        let parts = Quantity.count(plan.partitions.count, "partition")
        let duplicates = plan.duplicates == 0 ? "" : ", \(Quantity.grouped(plan.duplicates)) duplicate rows"
        Output.result(
            """
            \(items) in \(parts)\(duplicates)
            at least \(Quantity.duration(plan.floorSeconds)), however many machines work: the rate of the slowest host
            plan \(plan.hash)
            next: nuke-batch fleet work --store \(Output.printable(Shell.quoted(store.place))) --plan \(plan.hash) --partition 0
            """
        )
    }
}
