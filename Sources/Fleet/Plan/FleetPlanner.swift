import Files
import Foundation
package import JobManifest
package import JobPlanning
import JobStorage

/// Plans a job for many machines on one: rows, duplicates and collisions as a run plans them, and then partitions by host.
package struct FleetPlanner {
    private let manifest: Manifest
    private let limits: PartitionLimits
    private let store: FleetStore
    private let scratch: String

    /// Creates a planner; `scratch` is the folder for the state of the planning, which is removed.
    package init(_ manifest: Manifest, limits: PartitionLimits, store: FleetStore, scratch: String) {
        (self.manifest, self.limits, self.store, self.scratch) = (manifest, limits, store, scratch)
    }

    /// Plans, and writes the plan to the store; a store that has the same plan already is left as it is.
    /// - Returns: The plan with warnings, one sentence each.
    /// - Throws: `RunError.wrongInput` for rows or a store that do not allow the plan, `machine`.
    package func plan() async throws(RunError) -> (plan: FleetPlan, warnings: [String]) {
        try await RunError.wrapping {
            let folder = try ScratchFolder(prefix: "nuke-batch-plan", in: scratch)
            var options = RunOptions()
            options.state = "\(folder.path)/plan.sqlite"
            let loaded = try await SourceLoader.sources(of: manifest, options)
            let state = try JobStore(path: options.statePath(of: manifest))
            defer { state.close() }
            let summary = try await Planner(manifest, options, loaded: loaded).planOnThread(into: state)
            let known = try await store.exists(FleetKey.plan)
            let plan = try await partitions(of: state, known ? nil : store, duplicates: summary.duplicates)
            if known {
                guard try await store.plan().hash == plan.hash else { throw PlanSeal.otherPlan(store) }
            } else {
                try await PlanSeal(manifest, limits).write(plan, to: store)
            }
            return (plan, summary.warnings + plan.warnings(isChained: limits.isChained))
        }
    }

    /// Writes the partitions of a planned state; without a store only computes them.
    private func partitions(
        of state: JobStore,
        _ store: FleetStore?,
        duplicates: Int
    ) async throws -> FleetPlan {
        try state.orderByHost()
        let rates = HostRates(manifest)
        // Twice, since a partition is complete only when all its hosts are known.
        var packer = PartitionPacker(limits, rate: rates.rate)
        var sizes: [Int] = []
        var hosts = HostCursor(state)
        while let host = try hosts.next() {
            for slice in packer.add(host.name, items: host.items) {
                if slice.partition == sizes.count { sizes.append(0) }
                sizes[slice.partition] += slice.items
            }
        }
        var writer = PartitionWriter(store, for: manifest)
        packer = PartitionPacker(limits, rate: rates.rate)
        hosts = HostCursor(state)
        var slices: [PartitionPacker.Slice] = []
        var (rank, used) = (0, 0)
        var last = (rank: 0, ordinal: 0)
        while case let page = try state.hostedItems(after: last), let end = page.last {
            for (itemRank, hosted) in page {
                if itemRank != rank {
                    rank = itemRank
                    slices = try hosts.next().map { packer.add($0.name, items: $0.items).reversed() } ?? []
                    used = 0
                }
                guard let slice = slices.last else { break }
                let line = PartitionLine(hosted.planned, blocked: hosted.blocked)
                writer.add(line, host: hosted.item.host, to: slice.partition)
                used += 1
                if used == slice.items {
                    slices.removeLast()
                    used = 0
                }
                if writer.count(of: slice.partition) == sizes[slice.partition] {
                    try await writer.finish(slice.partition)
                }
            }
            last = (end.rank, end.item.item.ordinal)
        }
        try await writer.end()
        return try PlanSeal(manifest, limits).plan(writer.summaries, duplicates: duplicates)
    }
}

/// The hosts of a state in the order of their names.
private struct HostCursor {
    private let state: JobStore
    private var page: [(rank: Int, name: String, items: Int)] = []
    private var index = 0
    private var rank = 0

    init(_ state: JobStore) {
        self.state = state
    }

    mutating func next() throws(JobStoreError) -> (name: String, items: Int)? {
        if index == page.count {
            page = try state.hosts(after: rank)
            index = 0
            guard let last = page.last else { return nil }
            rank = last.rank
        }
        defer { index += 1 }
        return (page[index].name, page[index].items)
    }
}

extension FleetPlan {
    /// Warnings about hosts that limit the job whatever the number of machines.
    func warnings(isChained: Bool) -> [String] {
        var parts: [String: (count: Int, rate: Double)] = [:]
        for host in partitions.flatMap(\.hosts) {
            parts[host.host, default: (0, host.rate ?? 0)].count += 1
        }
        let split = parts.filter { $0.value.count > 1 && $0.value.rate > 0 }
        guard let (host, part) = split.max(by: { $0.value.count < $1.value.count }) else { return [] }
        let time = Quantity.duration(floorSeconds)
        return isChained
            ? ["\(host) is in \(part.count) partitions that follow each other: the job takes \(time) or more"]
            : [
                "\(host) is in \(part.count) partitions, each with a part of its rate: with fewer workers than that the job takes "
                    + "longer than \(time); plan with --chain to let them follow each other at the whole rate"
            ]
    }
}

extension HostedItem {
    /// The item as its row described it.
    fileprivate var planned: PlannedItem {
        let columns = ItemColumns(json: item.varsJSON)
        return PlannedItem(
            index: item.ordinal,
            url: item.url,
            target: item.url,
            id: item.id,
            headers: [String: String](json: item.headersJSON),
            priority: ItemPriority.allCases.first { $0.rank == item.priority } ?? .normal,
            variables: columns.texts,
            typedColumns: columns.typed,
            source: item.source,
            problem: item.problem.map {
                ItemProblem(code: ErrorCode(rawValue: $0.code) ?? .badURL, message: $0.message)
            },
            validator: item.validator,
            position: .file(item.location)
        )
    }
}
