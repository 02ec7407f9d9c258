import SQLite

/// Skipped items and their reasons.
extension JobReader {
    /// The reason of outputs whose paths earlier rows have: their own names those rows.
    private static let pathTaken = "path taken"

    /// Returns the number of skipped items by the reason of their first output, from an index of their own.
    /// - Throws: `JobStoreError`.
    public func skips() throws(JobStoreError) -> [String: Int] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [:] }
            let statement = try connection.statement(
                """
                SELECT message, count(*) AS count FROM item INDEXED BY item_skipped
                WHERE listed = 1 AND state = 'skipped' AND message IS NOT NULL GROUP BY message
                """
            )
            try statement.bind([])
            var counts: [String: Int] = [:]
            while try statement.step() {
                let reason: String = statement["message"]
                let name = reason.hasPrefix(OutputRecord.pathTaken) ? Self.pathTaken : reason
                counts[name, default: 0] += statement["count"]
            }
            return counts
        }
    }
}
