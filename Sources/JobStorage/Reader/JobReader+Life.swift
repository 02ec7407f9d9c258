import SQLite

/// The whole record of one item.
public struct ItemLife: Sendable {
    /// An output of the item, even if the current manifest does not ask for it.
    public struct Output: Sendable {
        /// The outcome.
        public let result: OutputRecord
        /// The time of the record, in milliseconds since 1970.
        public let time: Int64
        /// True if the current manifest asks for exactly this output.
        public let isWanted: Bool
    }

    /// The item, with the outputs that the current manifest asks for.
    public let item: ItemRecord
    /// True if the current manifest lists it.
    public let isListed: Bool
    /// The last 20 attempts at most, in the order in which they were made.
    public let attempts: [AttemptRecord]
    /// All outputs, by name.
    public let outputs: [Output]
    /// The files that its outputs had before they moved to other paths.
    public let leftovers: [String]
}

extension JobReader {
    /// Returns up to `limit` items whose URL or ID is `text`, or which made the output at `path`, listed items first.
    ///
    /// Reads the whole table of items.
    /// - Throws: `JobStoreError`.
    public func lives(of text: String, path: String, limit: Int) throws(JobStoreError) -> [ItemLife] {
        try lives(
            """
            url = ?1 OR id = ?1 OR item_id IN (SELECT item_id FROM output WHERE path = ?2)
                OR item_id IN (SELECT item_id FROM leftover WHERE path = ?2)
            """,
            [text, path],
            limit: limit
        )
    }

    /// Returns up to `limit` listed items that fit `filter`, in the manifest's order.
    /// - Throws: `JobStoreError`.
    public func lives(_ filter: ItemFilter, limit: Int) throws(JobStoreError) -> [ItemLife] {
        try lives("listed = 1 AND \(ItemFilter.condition)", filter.values, limit: limit)
    }

    private func lives(
        _ condition: String,
        _ values: [any StoredValue],
        limit: Int
    ) throws(JobStoreError) -> [ItemLife] {
        try read { connection in
            let statement = try connection.statement(
                """
                SELECT \(ItemRecord.columns), listed FROM item WHERE \(condition)
                ORDER BY listed DESC, ordinal LIMIT \(limit)
                """
            )
            return try statement.rows(with: values) { (ItemRecord($0), $0["listed"]) }.map { item, isListed in
                var item: ItemRecord = item
                item.outputs = try Self.outputs(of: item, connection)
                item.twin = try Self.twin(of: item, connection)
                return ItemLife(
                    item: item,
                    isListed: isListed,
                    attempts: try Self.attempts(of: item.itemID, limit: 20, connection),
                    outputs: try Self.allOutputs(of: item, connection),
                    leftovers: try connection.statement(
                        "SELECT path FROM leftover WHERE item_id = ? ORDER BY path"
                    ).scalars(item.itemID)
                )
            }
        }
    }

    private static func allOutputs(of item: ItemRecord, _ connection: Connection) throws -> [ItemLife.Output]
    {
        try connection.statement(
            """
            SELECT \(OutputRecord.columns), o.done_ms, w.name IS NOT NULL AS is_wanted
            FROM output o JOIN recipe r USING (recipe_id)
                LEFT JOIN wanted w ON w.source = ?2 AND w.name = o.name AND w.recipe_id = o.recipe_id
            WHERE o.item_id = ?1 ORDER BY o.name
            """
        ).rows(item.itemID, item.source) { row in
            ItemLife.Output(result: OutputRecord(row), time: row["done_ms"], isWanted: row["is_wanted"])
        }
    }

    /// Returns the newest `limit` requests for a URL, as the network log writes it, with the redirects that followed.
    /// - Throws: `JobStoreError`.
    public func requests(for url: String, limit: Int = 200) throws(JobStoreError) -> [RequestRecord] {
        try read(
            """
            SELECT \(RequestRecord.columns) FROM request
            WHERE (run_id, load) IN (SELECT run_id, load FROM request WHERE url = ? AND redirects = 0)
            ORDER BY request_id DESC LIMIT ?
            """
        ) { try $0.rows(url, limit) { RequestRecord($0) }.reversed() }
    }
}
