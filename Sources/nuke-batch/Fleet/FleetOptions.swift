import Fleet
import Foundation
import JobManifest
import JobPlanning

/// The options of `fleet`, whose actions use some of them each.
struct FleetOptions: CommandOptions {
    enum Action: String, CaseIterable {
        case plan, work, status, collect, template, key
    }

    var action = Action.plan
    /// The manifest of `plan` and `key`, the engine of `template`, or `-` for `work`.
    var target: String?
    var store: String?
    var plan: String?
    var limits = PartitionLimits()
    var step: PlanSteps.Step?
    var duplicates = 0
    var source = 0
    var partition: Int?
    var isFromEnvironment = false
    var offset = 0
    var stride = 1
    var scratch: String?
    var isWatching = false
    var isJSON = false
    var reportPath: String?
    var price: String?
    var stateFile: String?
    var residuePath: String?
    var removesLost = false

    static let table: [Option<FleetOptions>] =
        [
            .value(
                "--store",
                sets: \.store,
                as: .text("STORE"),
                help:
                    "Keep the plan and the results in STORE: a folder that all machines share, or s3://BUCKET/PREFIX"
            ).inEnvironment(),
            .value(
                "--plan",
                sets: \.plan,
                as: .text("HASH"),
                help: "Trust the plan of this hash alone, which fleet plan printed"
            ).inEnvironment(),
        ] + planning + working + looking

    private static let planning: [Option<FleetOptions>] = [
        .value(
            "--partition-items",
            sets: \.limits.items,
            as: .number(1...1_000_000),
            help: "plan: put at most N items into a partition (default: 10000)"
        ),
        .value(
            "--partition-minutes",
            sets: \.limits.minutes,
            as: .number(1...10_000),
            help: "plan: split hosts that take longer than N minutes at their rate (default: 10)"
        ),
        .flag(
            "--chain",
            sets: \.limits.isChained,
            help: "plan: let the partitions of a split host follow each other at its whole rate"
        ),
        .value(
            "--step",
            sets: \.step,
            as: .choice(),
            help: "plan: do one step, between standard input and output"
        ),
        .value(
            "--duplicates",
            sets: \.duplicates,
            as: .number(0...Int.max),
            help: "plan --step seal: record that N rows repeat others"
        ),
        .value(
            "--source",
            sets: \.source,
            as: .number(0...100_000),
            help: "key: read rows of the manifest's source N, counted from 0 (default: 0)"
        ),
    ]

    private static let working: [Option<FleetOptions>] = [
        .value(
            "--partition",
            sets: \.partition,
            as: .number(0...lastPartition),
            help: "work: do partition N"
        ).inEnvironment(),
        .flag(
            "--from-env",
            sets: \.isFromEnvironment,
            help:
                "work: do the partition that the engine names in \(PartitionNumbers.variables.joined(separator: ", "))"
        ),
        .value(
            "--offset",
            sets: \.offset,
            as: .number(0...lastPartition),
            help: "work --from-env: add N, for arrays that are larger than the engine's"
        ),
        .value(
            "--stride",
            sets: \.stride,
            as: .number(1...1_000_000),
            help: "work --from-env: do N partitions for each number of the engine (default: 1)"
        ),
        .value(
            "--scratch",
            sets: \.scratch,
            as: .folder,
            help: "Keep the node's own files in DIR (default: TMPDIR)"
        ).inEnvironment(),
    ]

    private static let looking: [Option<FleetOptions>] = [
        .flag("--watch", sets: \.isWatching, help: "status: follow the fleet until everything is committed"),
        .value(
            "--report",
            sets: \.reportPath,
            as: .file,
            help: "status: write a page about the fleet to FILE"
        ),
        .value(
            "--price",
            sets: \.price,
            as: .text("PRICE"),
            help: "status --report: estimate the cost at PRICE an hour and worker"
        ),
        .value(
            "--state-file",
            sets: \.stateFile,
            as: .file,
            help:
                "collect: merge the results into the state FILE (default: collected/state.sqlite in a folder)"
        ),
        .value(
            "--residue",
            sets: \.residuePath,
            as: .file,
            help: "collect: write what is not finished as a manifest to FILE"
        ),
        .flag("--gc", sets: \.removesLost, help: "collect: remove the files of attempts that lost"),
        .flag("--json", sets: \.isJSON, help: "Print JSON"),
    ]

    /// The largest number that an engine may give to a task.
    static let lastPartition = 1 << 40

    /// The environment of this process.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// The absolute folder for files of this machine.
    var scratchFolder: String { WorkerScratch.folder(scratch, environment: Self.environment) }

    /// The store.
    /// - Throws: `UsageError` without one, `RunError`.
    func openStore() throws -> FleetStore {
        guard let store, !store.isEmpty else {
            throw UsageError("fleet \(action.rawValue) needs --store STORE")
        }
        return try FleetStore(
            store,
            plan: plan.flatMap { $0.isEmpty ? nil : $0 },
            environment: Self.environment,
            creates: action == .plan
        )
    }

    /// The manifest that the operand names.
    /// - Throws: `UsageError` without one, `ManifestErrors`.
    func manifest() throws -> Manifest {
        guard let target else { throw UsageError("fleet \(action.rawValue) needs a MANIFEST") }
        return try JobOptions(manifestPath: target).manifest()
    }
}
