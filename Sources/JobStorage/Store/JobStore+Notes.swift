import SQLite

/// Short texts by name that a run leaves for the next one.
extension JobStore {
    /// Stores a text under a name.
    /// - Throws: `JobStoreError`.
    public func note(_ name: String, _ value: String) throws(JobStoreError) {
        try writeNow { try $0.note(name, value) }
    }
}

extension JobReader {
    /// Returns the text under a name; nil if there is none.
    /// - Throws: `JobStoreError`.
    public func note(_ name: String) throws(JobStoreError) -> String? {
        try read { try $0.note(name) }
    }

    /// Returns the manifest that the last run has kept; nil if it kept none.
    /// - Throws: `JobStoreError`.
    public func lastManifest() throws(JobStoreError) -> String? {
        try note(JobStore.manifestNote)
    }

    /// Returns true if one of the first items has had an original in the cache.
    /// - Throws: `JobStoreError`.
    public func hasCachedItems() throws(JobStoreError) -> Bool {
        try read { connection in
            let first = "SELECT cache_key FROM item ORDER BY item_id LIMIT 1000"
            return try connection.integer(
                "SELECT EXISTS (SELECT 1 FROM (\(first)) WHERE cache_key IS NOT NULL)"
            ) == 1
        }
    }

    /// Calls `body` with the ID and the cache key of each done item whose original was cached, a page at a time.
    /// - Throws: `JobStoreError`.
    public func forEachCachedItem(_ body: (Int64, String) -> Void) throws(JobStoreError) {
        let query = """
            SELECT item_id, cache_key FROM item
            WHERE item_id > ? AND listed = 1 AND state = 'done' AND cache_key IS NOT NULL
            ORDER BY item_id LIMIT 1000
            """
        try forEachPage(of: query, row: { ($0["item_id"], $0["cache_key"]) }) { body($0.0, $0.1) }
    }
}

extension Connection {
    func note(_ name: String) throws(SQLiteError) -> String? {
        try statement("SELECT value FROM note WHERE name = ?").scalar(name)
    }

    /// Stores a text under a name; nil removes it.
    func note(_ name: String, _ value: String?) throws(SQLiteError) {
        guard let value else { return try statement("DELETE FROM note WHERE name = ?").run(name) }
        try statement("INSERT OR REPLACE INTO note VALUES (?, ?)").run(name, value)
    }
}
