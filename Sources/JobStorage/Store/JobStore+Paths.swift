import SQLite

extension JobStore {
    /// True if a finished, listed item other than `item`, or another output than `name` of that one, has an output at
    /// `path` whose hash is not `sha256`.
    ///
    /// The first call creates an index, which takes seconds for millions of outputs. Most jobs never call this, since
    /// planning knows their paths.
    /// - Throws: `JobStoreError`.
    public func hasOutput(
        at path: String,
        otherThan sha256: String,
        notOf item: Int64,
        named name: String
    ) async throws(JobStoreError) -> Bool {
        try await write { connection in
            try connection.execute("CREATE INDEX IF NOT EXISTS output_by_path ON output(path)")
            let found = try connection.statement(
                """
                SELECT EXISTS (SELECT 1 FROM output o INDEXED BY output_by_path JOIN item i USING (item_id)
                    JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
                    WHERE o.path = ?1 AND o.state = 'done' AND o.sha256 <> ?2 AND i.listed = 1
                        AND iif(o.item_id = ?3, o.name <> ?4, i.state IN ('done', 'failed')))
                """
            ).first(.text(path), .text(sha256), .integer(item), .text(name)) { $0.integer(0) }
            return found == 1
        }
    }
}
