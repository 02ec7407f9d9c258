import SQLite

extension JobReader {
    /// Returns paths that several items have written with different bytes, in their order.
    /// - Throws: `JobStoreError`.
    package func clashingPaths(limit: Int) throws(JobStoreError) -> [String] {
        try read { connection in
            try connection.statement(
                """
                SELECT path FROM output WHERE state = 'done' AND shard_offset IS NULL
                GROUP BY path HAVING count(DISTINCT sha256) > 1 ORDER BY path LIMIT ?
                """
            ).scalars(Value(limit))
        }
    }
}
