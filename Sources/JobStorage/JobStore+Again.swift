import SQLite

/// What puts finished items back though their manifest is the same.
extension JobStore {
    /// Puts back every finished item that has an origin to ask again, so that a run looks at its original.
    ///
    /// Those of files and `data:` URLs stay: planning sees when a file has changed.
    /// - Returns: How many they are.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func reopenFinished() throws(JobStoreError) -> Int {
        try reopen(
            """
            state IN ('done', 'skipped') AND host_id NOT IN (SELECT host_id FROM host WHERE name = '')
            """
        )
    }

    /// Forgets finished outputs that another encoder made than one of `encoders`, with its version.
    ///
    /// Their items are put back.
    /// - Returns: How many items that is.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func reopenOutputs(notBy encoders: Set<String>) throws(JobStoreError) -> Int {
        let places = encoders.map { _ in "?" }.joined(separator: ", ")
        let values = encoders.sorted().map(Value.text)
        return try reopen(
            forgetting: "state = 'done' AND encoder IS NOT NULL AND encoder NOT IN (\(places))",
            values
        )
    }

    /// Forgets outputs of skipped items that were skipped for `reason`, and puts the items back.
    /// - Returns: How many items that is.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func reopenSkipped(for reason: String) throws(JobStoreError) -> Int {
        try reopen(
            forgetting: """
                reason = ? AND state = 'skipped' AND item_id IN (
                    SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem) AND state = 'skipped')
                """,
            [.text(reason)]
        )
    }

    /// Forgets outputs, each of an item by its row's id, and puts their items back, so that a run makes them again.
    /// - Throws: `JobStoreError`.
    public func reopenOutputs(_ outputs: [(itemID: Int64, name: String)]) throws(JobStoreError) {
        for output in outputs {
            _ = try reopen(
                forgetting: "item_id = ? AND name = ?",
                [.integer(output.itemID), .text(output.name)]
            )
        }
    }

    private func reopen(
        forgetting condition: String,
        _ values: [Value]
    ) throws(JobStoreError) -> Int {
        try writeNow { connection in
            let items = try connection.statement(
                "DELETE FROM output WHERE \(condition) RETURNING item_id"
            )
            try items.bind(values)
            var ids: Set<Int64> = []
            while try items.step() { ids.insert(items.integer(0)) }
            var count = 0
            for id in ids {
                count += try Self.reopen(
                    "item_id = ?2 AND state IN (\(ItemEvent.change.sources))",
                    .integer(id),
                    connection
                )
            }
            return count
        }
    }

    private func reopen(_ condition: String) throws(JobStoreError) -> Int {
        try writeNow { try Self.reopen(condition, nil, $0) }
    }

    /// Gives listed items a new set of attempts; their outputs and what is known of their originals stay.
    private static func reopen(_ condition: String, _ value: Value, _ connection: Connection) throws -> Int {
        let statement = try connection.statement(
            """
            UPDATE item SET \(release), updated_ms = ?1
            WHERE listed = 1 AND \(condition)
            """
        )
        try statement.bind([.integer(now)] + (value == .null ? [] : [value]))
        while try statement.step() {}
        return connection.changes
    }
}
