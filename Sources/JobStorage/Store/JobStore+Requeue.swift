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
        try writeNow { try Self.requeueFailed(filter, $0) }
    }

    /// Gives failed items that fit `filter` a new set of attempts if they have not changed for `age` milliseconds and
    /// have spent so many attempts; bad rows have spent none.
    private static func requeueFailed(
        _ filter: ItemFilter,
        unchangedFor age: Int64 = 0,
        leastAttempts: Int = 0,
        _ connection: Connection
    ) throws -> Int {
        // An item that changed in the future did so before the clock was set back: it does not wait for that time again.
        let statement = try connection.statement(
            """
            UPDATE item SET \(release), updated_ms = ?4
            WHERE item_id IN (SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)
                AND state IN (\(ItemEvent.release.sources)) AND \(ItemFilter.condition))
                AND (updated_ms > ?4 OR ?4 - updated_ms >= ?5) AND attempts >= ?6
            """
        )
        try statement.bind(filter.values + [.integer(now), .integer(age), Value(leastAttempts)])
        while try statement.step() {}
        return connection.changes
    }

    /// Gives items that failed with one of `errors` at least `age` milliseconds ago a new set of attempts.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueFailed(with errors: Set<String>, unchangedFor age: Int64) throws(JobStoreError) -> Int
    {
        // No errors would restrict nothing and release everything.
        guard !errors.isEmpty else { return 0 }
        return try writeNow { connection in
            try Self.requeueFailed(
                ItemFilter(states: [.failed], errors: errors),
                unchangedFor: age,
                connection
            )
        }
    }

    /// Gives items that failed because of a setting a new set of attempts if it has changed since the last call.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueFailed(becauseOf settings: [FailureSetting]) throws(JobStoreError) -> Int {
        try writeNow { connection in
            var count = 0
            for setting in settings where !setting.errors.isEmpty {
                guard try connection.note(setting.name) != setting.value else { continue }
                count += try Self.requeueFailed(
                    ItemFilter(states: [.failed], errors: setting.errors),
                    leastAttempts: 1,
                    connection
                )
                try connection.note(setting.name, setting.value)
            }
            return count
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

    /// Requeues finished items; their outputs and the facts about their originals stay.
    /// - Throws: `JobStoreError`.
    public func requeue(_ items: [Int64]) throws(JobStoreError) {
        guard !items.isEmpty else { return }
        try writeNow { connection in
            for id in items {
                _ = try Self.requeue(
                    where: "item_id = ?2 AND state IN (\(ItemEvent.change.sources))",
                    .integer(id),
                    connection
                )
            }
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
