package import Foundation
package import JobManifest
package import JobPlanning

/// The progress of a fleet, by what is in its store.
package struct FleetStatus: Sendable, Encodable {
    /// An attempt without a commit.
    package struct Running: Sendable, Encodable {
        package let partition: Int
        package let attempt: String
        package let node: String
        /// The time since it began, in seconds.
        package let seconds: Double
    }

    /// The plan's hash.
    package let plan: SHA256Name
    package let partitions: Int
    package let items: Int
    package let committed: Int
    /// The latest attempt of each partition that has begun and is not committed; its worker may be dead.
    package let running: [Running]
    /// The partitions without a commit, also those that are worked on.
    package let missing: [Int]
    /// The items of committed partitions by their end.
    package let counts: AttemptCounts
    /// The items that were committed a second, between the first start and the last commit.
    package let itemsPerSecond: Double
    /// The time that the rest takes at this rate, in seconds; null if nothing is committed yet.
    @Nullable package private(set) var secondsLeft: Double?
    /// Bytes of originals that came from the network.
    package let networkBytes: Int
    /// The plan itself, and what was read of its commits.
    let fleet: FleetPlan, commits: [PartitionCommit]

    enum CodingKeys: CodingKey {
        case plan, partitions, items, committed, running, missing, counts, itemsPerSecond, secondsLeft
        case networkBytes
    }

    /// Reads a store.
    /// - Throws: `RunError`.
    package init(_ store: FleetStore, now: Date = .now) async throws(RunError) {
        let plan = try await store.plan()
        let listing = try await AttemptListing(store, of: plan)
        let numbers = listing.commits.sorted()
        do {
            commits = try await FleetStore.map(numbers) {
                try await store.commit(of: $0, in: plan.hash)
            }.compactMap(\.self)
            let open = plan.partitions.map(\.partition).filter { !listing.commits.contains($0) }
            let begun = open.flatMap { partition in
                (listing.attempts[partition]?.started ?? []).map { (partition, $0) }
            }
            let started = try await FleetStore.map(begun) { partition, id in
                let key = FleetKey.attempt(id, of: partition, "started")
                return (
                    partition,
                    try await store.decode(StartedAttempt.self, at: key, limit: PartitionCommit.limit)
                )
            }
            var latest: [Int: Running] = [:]
            for (partition, attempt) in started {
                guard let attempt, let date = StoredTime.date(attempt.started) else { continue }
                let seconds = max(0, now.timeIntervalSince(date).rounded())
                if let other = latest[partition], other.seconds <= seconds { continue }
                latest[partition] = Running(
                    partition: partition,
                    attempt: attempt.attempt.description,
                    node: attempt.node,
                    seconds: seconds
                )
            }
            running = latest.values.sorted { $0.partition < $1.partition }
            missing = open
        } catch {
            throw RunError(error)
        }
        (fleet, self.plan) = (plan, plan.hash)
        (partitions, items, committed) = (plan.partitions.count, plan.items, commits.count)
        var counts = AttemptCounts()
        for commit in commits { counts.add(commit.counts) }
        self.counts = counts
        networkBytes = commits.reduce(0) { min($0 + $1.networkBytes, 1 << 62) }
        let starts = commits.compactMap { StoredTime.date($0.started) }
        let ends = commits.compactMap { StoredTime.date($0.ended) }
        if let first = starts.min(), let end = ends.max(), end > first {
            let rate = Double(counts.total) / end.timeIntervalSince(first)
            itemsPerSecond = (rate * 10).rounded() / 10
            secondsLeft = (Double(plan.items - counts.total) / rate).rounded()
        } else {
            itemsPerSecond = 0
        }
    }
}
