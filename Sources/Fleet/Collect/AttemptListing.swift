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
    }

    /// The most keys that are kept to be named.
    private static let mostStrangers = 20

    private(set) var attempts: [Int: Attempts] = [:]
    private(set) var commits: Set<Int> = []
    /// Keys among the commits that belong to no partition, the first of them.
    private(set) var strangers: [String] = []
    private var partitions: Int

    /// Lists the attempts at the partitions of a plan; names that no worker of it writes are left out.
    /// - Throws: `RunError.machine`.
    init(_ store: FleetStore, of plan: FleetPlan) async throws(RunError) {
        partitions = plan.partitions.count
        var listing = self
        try await store.forEachKey(below: FleetKey.commits) { listing.add(commit: $0.key) }
        try await store.forEachKey(below: FleetKey.attempts) { listing.add(attempt: $0.key) }
        self = listing
    }

    private mutating func add(commit key: String) {
        let name = key.dropFirst(FleetKey.commits.count)
        guard name.hasSuffix(".json"), let partition = FleetKey.partition(name.dropLast(5)),
            partition < partitions
        else {
            if strangers.count < Self.mostStrangers { strangers.append(key) }
            return
        }
        commits.insert(partition)
    }

    private mutating func add(attempt key: String) {
        let parts = key.split(separator: "/")
        guard parts.count == 3, let partition = FleetKey.partition(parts[1]), partition < partitions else {
            return
        }
        let name = parts[2].prefix { $0 != "." }
        guard let id = AttemptID(parsing: name) else { return }
        switch parts[2].dropFirst(name.count) {
        case ".started": attempts[partition, default: Attempts()].started.insert(id)
        case ".jsonl.gz": attempts[partition, default: Attempts()].finished.insert(id)
        case ".won": attempts[partition, default: Attempts()].won.insert(id)
        default: break
        }
    }
}
