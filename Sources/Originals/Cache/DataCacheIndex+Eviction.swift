import SQLite

extension DataCacheIndex {
    /// The rows that one transaction evicted.
    struct Eviction: Sendable {
        /// The rows whose files must be removed.
        var names: [String] = []
        /// True if there is enough room now; otherwise the next transaction continues.
        var isComplete = true
        /// True if evicting all unpinned entries would not make enough room; then nothing is evicted.
        var isImpossible = false
    }

    /// The most rows evicted in one transaction, so that other processes wait for about a second at most, however far
    /// the limit was lowered: on a disk mounted with `discard`, removing a file takes about 4 ms.
    private static let evictionSize = 250

    /// Evicts the least recently used entries until `file` fits into `limit` bytes.
    func makeRoom(for file: StoredFile, limit: Int, _ connection: Connection) throws -> Eviction {
        let state = try connection.statement("SELECT size, pinned_size FROM state")
            .first { (size: $0["size"] as Int, pinned: $0["pinned_size"] as Int) }
        // Usually there is room, even without the file that it replaces.
        guard let state, state.size + file.size > limit else { return Eviction() }
        let old = try connection.statement("SELECT size, pins FROM entry WHERE name = ?")
            .first(file.name) { (size: $0["size"] as Int, isPinned: $0["pins"] > 0) }
        let room = file.size - (old?.size ?? 0)
        guard state.size + room > limit else { return Eviction() }
        // The entries that always stay: the pinned ones and the file itself.
        let kept = state.pinned - (old?.isPinned == true ? old?.size ?? 0 : 0) + file.size
        guard kept <= limit else { return Eviction(isImpossible: true) }
        let eviction = try evict(excess: { $0 + room - limit }, sparing: file.name, connection)
        if !eviction.names.isEmpty { try connection.execute("UPDATE state SET has_evicted = 1") }
        return eviction
    }

    /// Deletes the least recently used rows, sparing `name`, until `excess` of the size of all entries is not above 0.
    func evict(excess: (Int) -> Int, sparing name: String, _ connection: Connection) throws -> Eviction {
        var excess = excess(Int(try connection.integer("SELECT size FROM state")))
        guard excess > 0 else { return Eviction() }
        try uses.write(to: connection, of: folder)
        let oldest = try connection.statement(
            "SELECT name, size FROM entry WHERE pins = 0 AND name <> ? ORDER BY used"
        )
        defer { oldest.reset() }
        var names: [String] = []
        try oldest.bind([name])
        while excess > 0, names.count < Self.evictionSize, try oldest.step() {
            names.append(oldest["name"])
            excess -= oldest["size"]
        }
        oldest.reset()
        let deletion = try connection.statement("DELETE FROM entry WHERE name = ?")
        for name in names { try deletion.run(name) }
        // With nothing left to evict, another transaction would find nothing either.
        return Eviction(names: names, isComplete: excess <= 0 || names.count < Self.evictionSize)
    }
}
