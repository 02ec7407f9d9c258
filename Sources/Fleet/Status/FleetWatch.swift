package import Foundation
package import JobPlanning
import ObjectStorage

/// Follows a fleet: what was read of a store is kept, so that a later look reads no more than what is new.
package struct FleetWatch {
    /// The most partitions between two open ones whose attempts are listed along with theirs: those of a page of a bucket.
    private static let mostBetween = 300
    /// The partitions of a plan whose names are in the order of their numbers.
    private static let ordered = 1_000_000

    private let store: FleetStore
    private let plan: FleetPlan
    /// The commits that were read, by partition.
    private var commits: [Int: CommittedPartition] = [:]
    /// The attempts whose markers were read, by partition, without those of partitions that are committed.
    private var begun: [Int: [AttemptID: StartedAttempt]] = [:]

    /// Reads the plan of a store.
    /// - Throws: `RunError`.
    package init(_ store: FleetStore) async throws(RunError) {
        self.store = store
        plan = try await store.plan()
    }

    /// Returns the progress: lists the commits and the attempts at open partitions, and reads those that are new.
    /// - Throws: `RunError`.
    package mutating func status(now: Date = .now) async throws(RunError) -> FleetStatus {
        try await RunError.wrapping {
            try await readCommits()
            let open = plan.partitions.map(\.partition).filter { commits[$0] == nil }
            try await readMarkers(of: open)
            return FleetStatus(
                plan,
                commits.values.sorted { $0.partition < $1.partition },
                missing: open,
                running: open.compactMap { partition in
                    begun[partition].flatMap { Self.latest($0, of: partition, now) }
                }
            )
        }
    }

    private mutating func readCommits() async throws {
        let listed = try await AttemptListing.commits(in: store, of: plan)
        // A commit is never removed but by somebody who lies, and then its partition is open again.
        commits = commits.filter { listed.contains($0.key) }
        let new = listed.filter { commits[$0] == nil }.sorted()
        let read = try await FleetStore.map(new, width: 64) { [store, plan] partition in
            try await store.commit(of: partition, in: plan.hash).flatMap(CommittedPartition.init)
        }
        for commit in read.compactMap(\.self) { commits[commit.partition] = commit }
    }

    private mutating func readMarkers(of open: [Int]) async throws {
        begun = begun.filter { commits[$0.key] == nil }
        var new: [(partition: Int, id: AttemptID)] = []
        for range in ranges(of: open) {
            let first =
                plan.partitions.count > Self.ordered
                ? nil : FleetKey.attempts + FleetKey.digits(range.lowerBound)
            try await store.forEachKey(below: FleetKey.attempts, after: first) { [begun, commits] entry in
                guard let (partition, id, ending) = AttemptListing.attempt(entry.key, of: plan) else {
                    return true
                }
                guard range.contains(partition) else { return first == nil || partition < range.lowerBound }
                if ending == ".started", commits[partition] == nil, begun[partition]?[id] == nil {
                    new.append((partition, id))
                }
                return true
            }
        }
        let read = try await FleetStore.map(new, width: 64) { [store] partition, id in
            let key = FleetKey.attempt(id, of: partition, "started")
            return (
                partition, id,
                try await store.decode(StartedAttempt.self, at: key, limit: PartitionCommit.limit)
            )
        }
        for case (let partition, let id, let marker?) in read { begun[partition, default: [:]][id] = marker }
    }

    /// The ranges of partitions whose attempts are listed, so that all open ones and few others are in them.
    private func ranges(of open: [Int]) -> [ClosedRange<Int>] {
        guard plan.partitions.count <= Self.ordered else { return [0...plan.partitions.count] }
        return open.reduce(into: []) { ranges, partition in
            if let last = ranges.last, partition - last.upperBound <= Self.mostBetween {
                ranges[ranges.count - 1] = last.lowerBound...partition
            } else {
                ranges.append(partition...partition)
            }
        }
    }

    private static func latest(
        _ attempts: [AttemptID: StartedAttempt],
        of partition: Int,
        _ now: Date
    ) -> FleetStatus.Running? {
        let times = attempts.values.compactMap { attempt in
            StoredTime.date(attempt.started).map { (attempt, $0) }
        }
        guard let (attempt, date) = times.max(by: { $0.1 < $1.1 }) else { return nil }
        return FleetStatus.Running(
            partition: partition,
            attempt: attempt.attempt.description,
            node: attempt.node,
            seconds: max(0, now.timeIntervalSince(date).rounded())
        )
    }
}
