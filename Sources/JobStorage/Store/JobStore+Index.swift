import SQLite

extension JobReader {
    /// True if the index at `path` was written for the current manifest, after the last change of an output.
    /// - Throws: `JobStoreError`.
    public func isIndexCurrent(_ path: String) throws(JobStoreError) -> Bool {
        try read { connection in
            guard let revision = try Self.revision(connection) else { return false }
            return try connection.statement("SELECT revision_id FROM dataset_index WHERE path = ?")
                .scalar(path) == revision.revisionID
        }
    }

    /// Returns all columns and variables of listed items, sorted by name.
    /// - Throws: `JobStoreError`.
    public func listColumns() throws(JobStoreError) -> [ListColumn] {
        // A whole number that SQLite reads as a real is beyond 64 bits; 2^53 is where doubles begin to skip numbers.
        try read(
            """
            SELECT j.key AS name,
                max(j.type IN ('text', 'array', 'object')) * 1 + max(j.type IN ('true', 'false')) * 2
                + max(j.type = 'integer') * 4
                + max(j.type = 'integer' AND j.atom NOT BETWEEN -9007199254740992 AND 9007199254740992) * 8
                + max(j.type = 'real') * 16
                + max(j.type = 'integer' AND typeof(j.atom) = 'real'
                    OR j.type = 'real' AND j.atom NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308) * 32 AS contents
            FROM item i, json_each(i.vars_json) j
            WHERE i.listed = 1 AND i.vars_json IS NOT NULL GROUP BY j.key ORDER BY j.key
            """
        ) { try $0.rows { ListColumn($0["name"], ListColumn.Contents(rawValue: $0["contents"])) } }
    }
}

extension JobStore {
    /// Records that the index at `path` matches the state.
    /// - Throws: `JobStoreError`.
    public func recordIndex(_ path: String) throws(JobStoreError) {
        let revision = try reader.revision()?.revisionID ?? 0
        try writeNow { connection in
            try connection.statement("INSERT OR REPLACE INTO dataset_index VALUES (?, ?, ?)")
                .run(path, revision, Self.now)
        }
    }

    /// Records that no index matches the state any more.
    /// - Throws: `JobStoreError`.
    public func forgetIndexes() throws(JobStoreError) {
        try writeNow { try $0.execute("DELETE FROM dataset_index") }
    }
}
