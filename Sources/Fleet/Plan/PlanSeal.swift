import Foundation
import JobManifest
import JobPlanning

/// The last step of planning: from written partitions to the plan that puts them in force.
struct PlanSeal {
    private let manifest: Manifest
    private let limits: PartitionLimits
    private let rates: HostRates

    init(_ manifest: Manifest, _ limits: PartitionLimits) {
        self.manifest = manifest
        self.limits = limits
        rates = HostRates(manifest)
    }

    /// Makes the plan of written partitions.
    ///
    /// A host in several partitions has its rate divided among them; with a chain each has the whole rate, and waits for the one
    /// before it.
    /// - Throws: `RunError.machine` if partitions are missing or doubled.
    func plan(_ summaries: [PartitionWriter.Summary], duplicates: Int) throws(RunError) -> FleetPlan {
        let summaries = summaries.sorted { $0.partition < $1.partition }
        guard summaries.enumerated().allSatisfy({ $0.offset == $0.element.partition }) else {
            throw .machine("the plan lacks partitions, or has some twice: plan again")
        }
        var parts: [String: Int] = [:]
        var totals: [String: Int] = [:]
        for host in summaries.flatMap(\.hosts) {
            parts[host.host, default: 0] += 1
            totals[host.host, default: 0] += host.items
        }
        var last: [String: Int] = [:]
        let partitions = summaries.map { summary in
            var (seconds, after) = (0.0, Int?.none)
            let hosts = summary.hosts.map { host in
                let share = limits.isChained ? 1 : Double(parts[host.host] ?? 1)
                let rate = rates.rate(of: host.host).map { $0 / share }
                if let rate { seconds = max(seconds, Double(host.items) / rate) }
                if limits.isChained, rate != nil, parts[host.host] ?? 1 > 1 {
                    // Slices of one host begin new partitions, so that a partition follows one other at most.
                    after = max(last[host.host] ?? -1, after ?? -1)
                    last[host.host] = summary.partition
                }
                return PlannedPartition.Host(host: host.host, items: host.items, rate: rate)
            }
            return PlannedPartition(
                partition: summary.partition,
                items: summary.items,
                hosts: hosts,
                seconds: Self.rounded(seconds),
                after: after.flatMap { $0 < 0 ? nil : $0 },
                sha256: summary.sha256,
                bytes: summary.bytes
            )
        }
        let floor = totals.compactMap { host, items in rates.rate(of: host).map { Double(items) / $0 } }.max()
        return FleetPlan(
            manifest: BundledManifest(manifest),
            duplicates: duplicates,
            floorSeconds: Self.rounded(floor ?? 0),
            minutes: limits.minutes,
            columns: PlannedColumn.merged(summaries.map(\.columns)),
            partitions: partitions
        )
    }

    /// Writes the plan: what workers read first, and `plan.json`, by which it is in force, last.
    ///
    /// The same plan may be written again.
    /// - Throws: `RunError.wrongInput` if the store has another plan, `machine`.
    func write(_ plan: FleetPlan, to store: FleetStore) async throws(RunError) {
        try await BundledManifest.write(manifest, to: store)
        let tree = plan.tree
        try await RunError.wrapping {
            _ = try await FleetStore.map(plan.partitions) { entry in
                let proved = PartitionEntry(entry: entry, proof: tree.proof(of: entry.partition))
                let data = Data(JSONLine.text(proved).utf8)
                try await store.write(data, at: FleetKey.entry(entry.partition))
            }
        }
        try await store.write(Data(JSONLine.text(plan.job).utf8), at: FleetKey.job)
        guard try await !store.create(Data(JSONLine.text(plan).utf8), at: FleetKey.plan) else { return }
        guard try await store.plan().hash == plan.hash else { throw Self.otherPlan(store) }
    }

    static func otherPlan(_ store: FleetStore) -> RunError {
        .wrongInput(
            "\(store.place) holds another plan, which never changes: name an empty --store, or remove what is in this one"
        )
    }

    private static func rounded(_ seconds: Double) -> Double {
        (seconds * 1000).rounded() / 1000
    }
}
