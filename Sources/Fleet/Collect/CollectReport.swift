package import JobPlanning

/// The results of `fleet collect`: `collected/report.json`.
package struct CollectReport: Sendable, Encodable {
    /// The plan's hash.
    package let plan: SHA256Name
    /// The number of partitions in the plan.
    package let partitions: Int
    /// The number of items in the plan.
    package let items: Int
    /// The number of partitions that are proven complete.
    package private(set) var proven = 0
    /// The partitions without a commit.
    package let missing: [Int]
    /// The partitions without a commit that have ended two workers or more before any had a result.
    package let deadly: [Int]
    /// The partitions whose items are not proven: without a commit, or with one that contradicts something.
    package internal(set) var unproven: [Int] = []
    /// The contradictions, a sentence each.
    package internal(set) var contradictions: [String]
    /// The items of proven partitions by their end.
    package private(set) var counts = AttemptCounts()
    /// Bytes of originals that the winners loaded from the network.
    package private(set) var networkBytes = 0
    /// The number of attempts whose files were removed.
    package internal(set) var removed = 0

    init(_ plan: FleetPlan, _ listing: AttemptListing) {
        self.plan = plan.hash
        (partitions, items) = (plan.partitions.count, plan.items)
        missing = plan.partitions.map(\.partition).filter { !listing.commits.contains($0) }
        deadly = missing.filter { partition in
            let attempts = listing.attempts[partition]
            return (attempts?.started.count ?? 0) >= 2 && attempts?.finished.isEmpty == true
        }
        let last = plan.partitions.count - 1
        contradictions = listing.strangers.map {
            "\($0) is no commit of a partition: the plan ends with partition \(last)"
        }
        contradictions += missing.compactMap { partition in
            let won = listing.attempts[partition]?.won.map(\.description).sorted() ?? []
            return won.isEmpty
                ? nil : "partition \(partition): attempt \(won[0]) has won, but its commit was removed"
        }
    }

    mutating func add(_ commit: PartitionCommit) {
        proven += 1
        counts.add(commit.counts)
        networkBytes = min(networkBytes + commit.networkBytes, 1 << 62)
    }

    /// The most files that are named, of those that two items have written.
    static let mostClashes = 20

    /// Adds files that two items have written with different bytes, so that one has replaced the other.
    mutating func addClashes(_ paths: [String]) {
        contradictions += paths.map {
            "\($0) was written by two items with different bytes: add {index} or {id} to its path"
        }
    }

    /// The exit code.
    package var exit: ExitCode {
        if !contradictions.isEmpty { return .machine }
        if !missing.isEmpty || counts.deferred > 0 { return .workLeft }
        return counts.failed + counts.quarantined > 0 ? .someFailed : .done
    }
}
