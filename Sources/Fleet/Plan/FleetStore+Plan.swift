import Files
import Foundation
import JobManifest
package import JobPlanning

/// Reading of the plan, each part proved from its name.
extension FleetStore {
    /// The most bytes of the plan, of `job.json` and of a partition's entry.
    private static let (planLimit, jobLimit, entryLimit) = (1 << 30, 4 << 20, 64 << 20)

    /// Returns the plan, whose parts agree with each other, and which is the one that was given if one was.
    /// - Throws: `RunError.wrongInput` if there is none, `forged` if something was changed or it is another one.
    package func plan() async throws(RunError) -> FleetPlan {
        guard let plan = try await decode(FleetPlan.self, at: FleetKey.plan, limit: Self.planLimit) else {
            throw withoutPlan
        }
        try requireVersion(plan.job.facts.version, at: FleetKey.plan)
        try requireName(plan.hash, at: FleetKey.plan)
        return plan
    }

    /// Returns the plan, if this process may trust it.
    /// - Throws: As ``plan()``; `forged` if nothing proves it.
    package func trustedPlan() async throws(RunError) -> FleetPlan {
        try requireTrust(in: FleetKey.plan)
        return try await plan()
    }

    /// Returns the part of the plan that a worker needs, if this process may trust it.
    /// - Throws: `RunError.wrongInput` if there is none, `forged` if nothing proves it or it was changed.
    func trustedJob() async throws(RunError) -> FleetJob {
        guard try await exists(FleetKey.plan) else { throw withoutPlan }
        try requireTrust(in: FleetKey.job)
        guard let job = try await decode(FleetJob.self, at: FleetKey.job, limit: Self.jobLimit) else {
            throw withoutPlan
        }
        try requireVersion(job.facts.version, at: FleetKey.job)
        try requireName(job.plan, at: FleetKey.job)
        return job
    }

    /// Returns a partition of a plan.
    /// - Throws: `RunError.forged` if it is missing, or not the plan's.
    func entry(of partition: Int, in job: FleetJob) async throws(RunError) -> PlannedPartition {
        let key = FleetKey.entry(partition)
        guard let found = try await decode(PartitionEntry.self, at: key, limit: Self.entryLimit) else {
            throw .forged("\(appending(key)) is missing: plan again with an empty store")
        }
        let (entry, facts) = (found.entry, job.facts)
        let isProved = PlanTree.proves(
            entry.leaf,
            at: partition,
            of: facts.partitions,
            found.proof,
            root: facts.root
        )
        guard isProved, entry.partition == partition else {
            throw .forged(
                "\(appending(key)): entry is not partition \(partition) of plan \(job.plan): it was changed"
            )
        }
        return entry
    }

    /// Returns the compressed lines of a partition, which are those of the plan.
    /// - Throws: `RunError.forged` if they are missing or not what was planned.
    func items(of entry: PlannedPartition) async throws(RunError) -> (file: Data, text: Data) {
        let key = FleetKey.items(entry.partition)
        // Compressed text is larger than the text by a few bytes at most.
        guard let file = try await read(key, limit: entry.bytes + entry.bytes / 1000 + 1024),
            let text = Gzip.decompress(file, limit: entry.bytes), text.count == entry.bytes,
            SHA256Name(of: text) == entry.sha256
        else {
            throw .forged(
                "\(appending(key)) is missing or not what was planned: plan again with an empty store"
            )
        }
        return (file, text)
    }

    /// Returns the items of a partition.
    /// - Throws: `RunError.forged` if its file is not what was planned.
    func lines(of entry: PlannedPartition) async throws(RunError) -> [PartitionLine] {
        let text = try await items(of: entry).text
        return try RunError.wrapping {
            try PartitionLine.all(in: text, name: FleetKey.items(entry.partition))
        }
    }

    private var withoutPlan: RunError {
        .wrongInput(
            "\(place) has no plan: make one with nuke-batch fleet plan MANIFEST --store \(Shell.quoted(place))"
        )
    }

    private func requireVersion(_ version: Int, at key: String) throws(RunError) {
        guard version == PlanFacts.version else {
            throw .wrongInput(
                "\(appending(key)) has version \(version), and this release reads version \(PlanFacts.version): use the release "
                    + "that planned, or plan again with an empty store"
            )
        }
    }

    /// Checks that a plan is the one that was given.
    private func requireName(_ plan: SHA256Name, at key: String) throws(RunError) {
        guard trusted == nil || trusted == plan else {
            throw .forged(
                "\(appending(key)): plan is \(plan), and --plan says \(trusted?.description ?? ""): somebody has put "
                    + "another plan there, or the store is another one"
            )
        }
    }
}
