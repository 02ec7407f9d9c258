import SQLite

/// Requeues finished items: gives them a new set of attempts, though their manifest is the same.
extension JobStore {
    /// Gives failed and quarantined items that fit `filter` a new set of attempts.
    ///
    /// Other states in the filter have no effect; a filter without states means both.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueFailed(_ filter: ItemFilter = ItemFilter()) throws(JobStoreError) -> Int {
        try writeNow { connection in
            let statement = try connection.statement(
                """
                UPDATE item SET \(Self.release), updated_ms = ?4
                WHERE item_id IN (SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)
                    AND state IN (\(ItemEvent.release.sources)) AND \(ItemFilter.condition))
                """
            )
            try statement.bind(filter.values + [.integer(Self.now)])
            while try statement.step() {}
            return connection.changes
        }
    }

    /// Gives failed items with one of `errors`, the names of retryable errors, a new set of attempts.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueRetryable(_ errors: Set<String>) throws(JobStoreError) -> Int {
        // No errors would restrict nothing and release everything.
        errors.isEmpty ? 0 : try requeueFailed(ItemFilter(states: [.failed], errors: errors))
    }

    /// Requeues every finished item that comes from a host, so that a run revalidates its original.
    ///
    /// Items from files and `data:` URLs stay finished: planning detects changed files.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueFinished() throws(JobStoreError) -> Int {
        try requeue(
            where: """
                state IN ('done', 'skipped') AND host_id NOT IN (SELECT host_id FROM host WHERE name = '')
                """
        )
    }

    /// Forgets finished outputs that were not made by one of `encoders`, names with versions, and requeues their items.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueOutputs(notBy encoders: Set<String>) throws(JobStoreError) -> Int {
        let parameters = encoders.map { _ in "?" }.joined(separator: ", ")
        let values = encoders.sorted().map(Value.text)
        return try requeue(
            forgetting: "state = 'done' AND encoder IS NOT NULL AND encoder NOT IN (\(parameters))",
            values
        )
    }

    /// Forgets outputs that were skipped for `reason`, and requeues those of their items that were skipped as a whole.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueSkipped(for reason: String) throws(JobStoreError) -> Int {
        try requeue(
            forgetting: """
                reason = ? AND state = 'skipped' AND item_id IN (
                    SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem) AND state = 'skipped')
                """,
            [.text(reason)]
        )
    }

    /// Forgets these outputs and requeues their items, so that a run makes them again.
    /// - Throws: `JobStoreError`.
    public func requeueOutputs(_ outputs: [(itemID: Int64, name: String)]) throws(JobStoreError) {
        for output in outputs {
            _ = try requeue(
                forgetting: "item_id = ? AND name = ?",
                [.integer(output.itemID), .text(output.name)]
            )
        }
    }

    private func requeue(
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
                count += try Self.requeue(
                    where: "item_id = ?2 AND state IN (\(ItemEvent.change.sources))",
                    .integer(id),
                    connection
                )
            }
            return count
        }
    }

    private func requeue(where condition: String) throws(JobStoreError) -> Int {
        try writeNow { try Self.requeue(where: condition, nil, $0) }
    }

    /// Gives listed items a new set of attempts; their outputs and the facts about their originals stay.
    private static func requeue(
        where condition: String,
        _ value: Value,
        _ connection: Connection
    ) throws -> Int {
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
