import SQLite

extension JobReader {
    /// Whether the index at `path` was written after the last work of the manifest in force.
    /// - Throws: `JobStoreError`.
    public func isIndexCurrent(_ path: String) throws(JobStoreError) -> Bool {
        try read { connection in
            guard let revision = try Self.revision(connection) else { return false }
            let written = try connection.statement("SELECT revision_id FROM dataset_index WHERE path = ?")
                .first(.text(path)) { $0.integer(0) }
            return written == revision.revisionID
        }
    }

    /// The names of all columns and variables that listed items have, sorted.
    /// - Throws: `JobStoreError`.
    public func variableNames() throws(JobStoreError) -> [String] {
        try read { connection in
            try connection.statement(
                """
                SELECT DISTINCT j.key FROM item i, json_each(i.vars_json) j
                WHERE i.listed = 1 AND i.vars_json IS NOT NULL ORDER BY 1
                """
            ).rows { $0.text(0) }
        }
    }
}

extension JobStore {
    /// Writes down that the index at `path` tells what the state does.
    /// - Throws: `JobStoreError`.
    public func recordIndex(_ path: String) throws(JobStoreError) {
        let revision = try reader.revision()?.revisionID ?? 0
        try writeNow { connection in
            try connection.statement("INSERT OR REPLACE INTO dataset_index VALUES (?, ?, ?)")
                .run(.text(path), .integer(revision), .integer(Self.now))
        }
    }

    /// Writes down that indexes no longer tell what the state does.
    /// - Throws: `JobStoreError`.
    public func forgetIndexes() throws(JobStoreError) {
        try writeNow { try $0.execute("DELETE FROM dataset_index") }
    }
}
