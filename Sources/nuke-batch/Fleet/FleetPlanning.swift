import Fleet
import JobManifest
import JobPlanning

/// `fleet plan` and `fleet key`: from a manifest to partitions in the store.
struct FleetPlanning {
    let options: FleetOptions

    /// Plans on this machine, or does one step of it.
    func perform() async throws -> ExitCode {
        let manifest = try options.manifest()
        var limits = options.limits
        limits.items = min(limits.items, manifest.partitionItems ?? limits.items)
        let store = try options.openStore()
        let steps = PlanSteps(manifest, limits: limits, store: store)
        var output = Output.Buffer()
        let next = { readLine(strippingNewline: true) }
        switch options.step {
        case .claim: try steps.claim(next) { output.add($0 + "\n") }
        case .pack: try steps.pack(next) { output.add($0 + "\n") }
        case .write: try await steps.write(next) { output.add($0 + "\n") }
        case .seal: show(try await steps.seal(next, duplicates: options.duplicates), in: store)
        case nil:
            let scratch = options.scratchFolder
            let planner = FleetPlanner(manifest, limits: limits, store: store, scratch: scratch)
            let (plan, warnings) = try await planner.plan()
            for warning in warnings { Output.message("warning: \(Output.printable(warning))") }
            show(plan, in: store)
        }
        output.flush()
        return .done
    }

    /// Prints the canonical form of rows, or as JSON where the rows are.
    func printKeys() throws -> ExitCode {
        guard !options.isJSON else {
            let lists = try ListedRows.all(of: try options.manifest())
            Output.result("[" + lists.map { JSONLine.text($0) }.joined(separator: ",") + "]")
            return .done
        }
        var output = Output.Buffer()
        try PartitionKeys(try options.manifest(), source: options.source).forEachLine {
            output.add($0 + "\n")
        }
        output.flush()
        return .done
    }

    private func show(_ plan: FleetPlan, in store: FleetStore) {
        guard !options.isJSON else {
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
            next: nuke-batch fleet work --store \(Output.printable(store.place)) --plan \(plan.hash) --partition 0
            """
        )
    }
}
