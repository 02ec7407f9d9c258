import Fleet
import Foundation

/// The options that all actions of `fleet` take.
struct FleetOptions {
    var store: String?
    var plan: String?
    var scratch: String?

    static let table: [Option<FleetOptions>] = [
        .value(
            "--store",
            \.store,
            as: .text("STORE"),
            help:
                "Keep the plan and the results in STORE: a folder that all machines share, or s3://BUCKET/PREFIX"
        ).inEnvironment(),
        .value(
            "--plan",
            \.plan,
            as: .text("HASH"),
            help: "Trust the plan of this hash alone, which fleet plan printed"
        ).inEnvironment(),
        .value(
            "--scratch",
            \.scratch,
            as: .folder,
            help: "Keep the node's own files in DIR (default: TMPDIR)"
        ).inEnvironment(),
    ]

    /// The largest number that an engine may give to a task.
    static let lastPartition = 1 << 40

    /// The environment of this process.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// The absolute folder for files of this machine.
    var scratchFolder: String { WorkerScratch.folder(scratch, environment: Self.environment) }

    /// The store; with `creates` a folder is made if there is none.
    /// - Throws: `UsageError` without a name, `RunError`.
    func openStore(creates: Bool = false) throws -> FleetStore {
        guard let store, !store.isEmpty else { throw UsageError("a fleet needs a store: --store STORE") }
        return try FleetStore(
            store,
            plan: plan.flatMap { $0.isEmpty ? nil : $0 },
            environment: Self.environment,
            creates: creates
        )
    }
}
