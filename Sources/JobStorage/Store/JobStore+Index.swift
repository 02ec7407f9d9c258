import SQLite

extension JobReader {
    /// True if the index at `path` was written for the current manifest, after the last change of an output.
    /// - Throws: `JobStoreError`.
    public func isIndexCurrent(_ path: String) throws(JobStoreError) -> Bool {
        try read { connection in
            guard let revision = try Self.revision(connection) else { return false }
            return try connection.statement("SELECT revision_id FROM dataset_index WHERE path = ?")
                .scalar(.text(path)) == revision.revisionID
        }
    }

    /// Returns the names of all columns and variables of listed items, sorted.
    /// - Throws: `JobStoreError`.
    public func variableNames() throws(JobStoreError) -> [String] {
        try read { connection in
            try connection.statement(
                """
                SELECT DISTINCT j.key FROM item i, json_each(i.vars_json) j
                WHERE i.listed = 1 AND i.vars_json IS NOT NULL ORDER BY 1
                """
            ).scalars()
        }
    }
}

extension JobStore {
    /// Records that the index at `path` matches the state.
    /// - Throws: `JobStoreError`.
    public func recordIndex(_ path: String) throws(JobStoreError) {
        let revision = try reader.revision()?.revisionID ?? 0
        try writeNow { connection in
            try connection.statement("INSERT OR REPLACE INTO dataset_index VALUES (?, ?, ?)")
                .run(.text(path), .integer(revision), .integer(Self.now))
        }
    }

    /// Records that no index matches the state any more.
    /// - Throws: `JobStoreError`.
    public func forgetIndexes() throws(JobStoreError) {
        try writeNow { try $0.execute("DELETE FROM dataset_index") }
    }
}
