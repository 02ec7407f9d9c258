import JobPlanning
import ObjectStorage

/// The names of all attempts and commits in a store.
struct AttemptListing: Sendable {
    /// The attempts at one partition.
    struct Attempts: Sendable {
        /// Those that have begun.
        var started: Set<AttemptID> = []
        /// Those that have written their results.
        var finished: Set<AttemptID> = []
        /// Those that say that their commit was the first.
        var won: Set<AttemptID> = []

        /// The others that say so, sorted.
        func otherWinners(than winner: AttemptID) -> [String] {
            won.subtracting([winner]).map(\.description).sorted()
        }
    }

    /// The most keys that are kept to be named.
    private static let mostStrangers = 20

    let attempts: [Int: Attempts]
    let commits: Set<Int>
    /// Keys among the commits that belong to no partition, the first of them.
    let strangers: [String]

    /// Lists the attempts at the partitions of a plan; names that no worker of it writes are left out.
    /// - Throws: `RunError.machine`.
    init(_ store: FleetStore, of plan: FleetPlan) async throws(RunError) {
        var (strangers, attempts) = ([String](), [Int: Attempts]())
        commits = try await Self.commits(in: store, of: plan) {
            if strangers.count < Self.mostStrangers { strangers.append($0) }
        }
        try await store.forEachKey(below: FleetKey.attempts) { entry in
            guard let (partition, id, ending) = Self.attempt(entry.key, of: plan) else { return }
            switch ending {
            case ".started": attempts[partition, default: Attempts()].started.insert(id)
            case ".jsonl.gz": attempts[partition, default: Attempts()].finished.insert(id)
            case ".won": attempts[partition, default: Attempts()].won.insert(id)
            default: break
            }
        }
        (self.strangers, self.attempts) = (strangers, attempts)
    }

    /// Lists the partitions of a plan that have a commit, and calls `body` with keys that belong to none.
    /// - Throws: `RunError.machine`.
    static func commits(
        in store: FleetStore,
        of plan: FleetPlan,
        stranger body: (String) -> Void = { _ in }
    ) async throws(RunError) -> Set<Int> {
        var commits: Set<Int> = []
        try await store.forEachKey(below: FleetKey.commits) { entry in
            let name = entry.key.dropFirst(FleetKey.commits.count)
            guard name.hasSuffix(".json"), let partition = FleetKey.partition(name.dropLast(5)),
                plan.partitions.indices.contains(partition)
            else { return body(entry.key) }
            commits.insert(partition)
        }
        return commits
    }

    /// Returns the partition, the attempt and the ending of the key of an attempt's file; nil for one that no worker writes.
    static func attempt(_ key: String, of plan: FleetPlan) -> (
        partition: Int, id: AttemptID, ending: Substring
    )? {
        let parts = key.split(separator: "/")
        guard parts.count == 3, let partition = FleetKey.partition(parts[1]),
            plan.partitions.indices.contains(partition)
        else { return nil }
        let name = parts[2].prefix { $0 != "." }
        return AttemptID(parsing: name).map { (partition, $0, parts[2].dropFirst(name.count)) }
    }
}
