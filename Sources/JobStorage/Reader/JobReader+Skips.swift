import SQLite

/// Skipped items and their reasons.
extension JobReader {
    /// The reason of outputs whose paths earlier rows have: their own names those rows.
    private static let pathTaken = "path taken"

    /// Returns the number of skipped items by the reason of their first output; it reads a row for each of them.
    /// - Throws: `JobStoreError`.
    public func skips() throws(JobStoreError) -> [String: Int] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [:] }
            let rows = try connection.statement(
                """
                SELECT CASE WHEN substr(reason, 1, length(?1)) = ?1 THEN ?2 ELSE reason END AS reason, count(*) AS count
                FROM (
                    SELECT (
                        SELECT o.reason FROM output o WHERE o.item_id = i.item_id AND o.state = 'skipped'
                        ORDER BY o.name LIMIT 1
                    ) AS reason
                    FROM item i INDEXED BY item_problem WHERE \(Schema.isProblem) AND state = 'skipped'
                )
                WHERE reason IS NOT NULL GROUP BY 1
                """
            ).rows(.text(OutputRecord.pathTaken), .text(Self.pathTaken)) { row in
                (row["reason"] as String, row["count"] as Int)
            }
            return Dictionary(rows) { $1 }
        }
    }
}
