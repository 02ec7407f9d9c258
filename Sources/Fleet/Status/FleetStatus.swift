import Foundation
package import JobManifest

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
    /// The plan itself, and what its commits say, in the order of their partitions.
    let fleet: FleetPlan, commits: [CommittedPartition]

    enum CodingKeys: CodingKey {
        case plan, partitions, items, committed, running, missing, counts, itemsPerSecond, secondsLeft
        case networkBytes
    }

    init(_ fleet: FleetPlan, _ commits: [CommittedPartition], missing: [Int], running: [Running]) {
        (self.fleet, plan) = (fleet, fleet.hash)
        (self.commits, self.missing, self.running) = (commits, missing, running)
        (partitions, items, committed) = (fleet.partitions.count, fleet.items, commits.count)
        var counts = AttemptCounts()
        for commit in commits { counts.add(commit.counts) }
        self.counts = counts
        networkBytes = commits.reduce(0) { min($0 + $1.networkBytes, 1 << 62) }
        if let first = commits.map(\.started).min(), let end = commits.map(\.ended).max(), end > first {
            let rate = Double(counts.total) / end.timeIntervalSince(first)
            itemsPerSecond = (rate * 10).rounded() / 10
            secondsLeft = (Double(fleet.items - counts.total) / rate).rounded()
        } else {
            itemsPerSecond = 0
        }
    }
}
