import SQLite

extension JobReader {
    /// The newest `limit` attempts at an item, in the order in which they were made; up to 20 are kept.
    static func attempts(of itemID: Int64, limit: Int, _ connection: Connection) throws -> [AttemptRecord] {
        try connection.statement(
            "SELECT \(AttemptRecord.columns) FROM attempt WHERE item_id = ? ORDER BY n DESC LIMIT ?"
        ).rows(itemID, limit) { AttemptRecord($0) }.reversed()
    }
}
