import JobPlanning
import ObjectStorage

/// The names of all attempts and commits in a store.
struct AttemptListing: Sendable {
    /// The attempts at one partition, by their IDs.
    struct Attempts: Sendable {
        /// Those that have begun.
        var started: Set<String> = []
        /// Those that have written their results.
        var finished: Set<String> = []
        /// Those that say that their commit was the first.
        var won: Set<String> = []
    }

    private(set) var attempts: [Int: Attempts] = [:]
    private(set) var commits: Set<Int> = []
    /// Keys among the commits that belong to no partition.
    private(set) var strangers: [String] = []

    /// Lists a store.
    /// - Throws: `RunError.machine`.
    init(_ store: FleetStore) async throws(RunError) {
        var names: [String] = []
        try await store.forEachKey(below: FleetKey.commits) { names.append($0.key) }
        try await store.forEachKey(below: FleetKey.attempts) { names.append($0.key) }
        for name in names { add(name) }
    }

    private mutating func add(_ key: String) {
        let parts = key.split(separator: "/")
        if parts.count == 2, parts[0] + "/" == FleetKey.commits {
            guard parts[1].hasSuffix(".json"), let partition = FleetKey.partition(parts[1].dropLast(5)) else {
                return strangers.append(key)
            }
            commits.insert(partition)
        }
        guard parts.count == 3, let partition = FleetKey.partition(parts[1]) else { return }
        let name = parts[2].prefix { $0 != "." }
        switch parts[2].dropFirst(name.count) {
        case ".started": attempts[partition, default: Attempts()].started.insert(String(name))
        case ".jsonl.gz": attempts[partition, default: Attempts()].finished.insert(String(name))
        case ".won": attempts[partition, default: Attempts()].won.insert(String(name))
        default: break
        }
    }
}
