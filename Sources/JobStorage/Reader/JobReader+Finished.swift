import SQLite

/// The place and the size of a finished output.
public struct FinishedFile: Sendable {
    /// The row ID of its item.
    public let itemID: Int64
    /// The output's name.
    public let name: String
    /// The path relative to the destination.
    public let path: String
    /// The file size in bytes.
    public let bytes: Int
}

/// Finished outputs, for a look at the destination.
extension JobReader {
    /// Returns finished outputs with a current recipe that are files of their own, item by item: at most 20,000 behind `last`.
    ///
    /// Those of items that have left the manifest are among them: to tell them apart would take as long as everything else.
    /// `asked(among:)` does it for a few.
    /// - Throws: `JobStoreError`.
    public func finishedFiles(after last: FinishedFile? = nil) throws(JobStoreError) -> [FinishedFile] {
        try read(
            """
            SELECT item_id, name, path, bytes FROM output
            WHERE state = 'done' AND shard_offset IS NULL AND recipe_id IN (SELECT recipe_id FROM wanted)
                AND (item_id, name) > (?, ?)
            ORDER BY item_id, name LIMIT 20000
            """
        ) {
            try $0.rows(last?.itemID ?? .min, last?.name ?? "") { row in
                FinishedFile(
                    itemID: row["item_id"],
                    name: row["name"],
                    path: row["path"],
                    bytes: row["bytes"]
                )
            }
        }
    }

    /// Returns those of `outputs` that are finished and that the manifest asks for as they are.
    /// - Throws: `JobStoreError`.
    public func asked(among outputs: [(itemID: Int64, name: String)]) throws(JobStoreError)
        -> [(itemID: Int64, name: String)]
    {
        guard !outputs.isEmpty else { return [] }
        return try read { connection in
            let statement = try connection.statement(
                """
                SELECT 1 \(Self.asked) AND w.recipe_id = o.recipe_id AND o.state = 'done'
                    AND o.item_id = ? AND o.name = ?
                """
            )
            return try outputs.filter { output in
                try statement.first(output.itemID, output.name) { _ in true } ?? false
            }
        }
    }

    /// Returns the shards of a destination that have items, by number; those that are being written are not complete.
    /// - Throws: `JobStoreError`.
    package func shards(of destination: String) throws(JobStoreError) -> [(
        shard: ShardRecord, isComplete: Bool
    )] {
        try read(
            """
            SELECT \(ShardRecord.columns), complete_ms IS NOT NULL AS is_complete FROM shard
            WHERE destination = ? AND items > 0 ORDER BY number
            """
        ) { try $0.rows(destination) { (ShardRecord($0), $0["is_complete"]) } }
    }

    /// Returns the settings that each recipe covers, as digests by the manifest's keys, by the recipe's text.
    /// - Throws: `JobStoreError`.
    public func recipeParts() throws(JobStoreError) -> [String: [String: String]] {
        try read("SELECT recipe, parts FROM recipe WHERE parts IS NOT NULL") {
            try $0.dictionary { ($0["recipe"], [String: String](json: $0["parts"])) }
        }
    }
}
