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
        try writeNow { try Self.requeueFailed(filter, because: .request, $0) }
    }

    /// Gives failed items that fit `filter` a new set of attempts if the run that they failed in began `age` milliseconds ago
    /// and they have spent so many attempts; bad rows have spent none.
    ///
    /// `setting` is the name of a changed setting.
    private static func requeueFailed(
        _ filter: ItemFilter,
        because reason: RequeueReason,
        setting: String? = nil,
        unchangedFor age: Int64 = 0,
        leastAttempts: Int = 0,
        onlyOfHosts: Bool = false,
        _ connection: Connection
    ) throws -> Int {
        let due = try end(ofRunsBegunBefore: now, by: age, connection)
        // An item that changed in the future did so before the clock was set back: it does not wait for that time again.
        let statement = try connection.statement(
            """
            UPDATE item SET \(release(because: "?7 || error")), updated_ms = ?4
            WHERE item_id IN (SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)
                AND state IN (\(ItemEvent.release.sources)) AND \(ItemFilter.condition))
                AND (updated_ms > ?4 OR updated_ms <= ?5) AND attempts >= ?6
                AND (?8 = 0 OR host_id NOT IN (SELECT host_id FROM host WHERE name = ''))
            """
        )
        let words = [reason.rawValue, setting].compactMap(\.self).joined(separator: " ") + " "
        try statement.run(with: filter.values + [now, due, leastAttempts, words, onlyOfHosts ? 1 : 0])
        return connection.changes
    }

    /// Returns the time up to which a failure is `age` milliseconds old at `now`: the end of the last run that began so early.
    ///
    /// A night counts from its start: cron asks at the same minute, however long the night before took.
    private static func end(
        ofRunsBegunBefore now: Int64,
        by age: Int64,
        _ connection: Connection
    ) throws -> Int64 {
        guard age > 0 else { return .max }
        let last: Int64? = try connection.statement("SELECT max(ended_ms) FROM run WHERE started_ms <= ?")
            .scalar(now - age)
        return max(now - age, last ?? 0)
    }

    /// Gives items whose outputs found other bytes at their paths a new set of attempts.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    package func requeueCollisions() throws(JobStoreError) -> Int {
        try writeNow { connection in
            try Self.requeueFailed(
                ItemFilter(states: [.failed], errors: ["collision"]),
                because: .collisions,
                connection
            )
        }
    }

    /// Gives items that failed with one of `errors`, in a run that began at least `age` milliseconds ago, a new set of attempts.
    ///
    /// Items from files and `data:` URLs stay failed: planning detects changed files.
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
                because: .recheck,
                unchangedFor: age,
                onlyOfHosts: true,
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
                    because: .setting,
                    setting: setting.name,
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
        guard !errors.isEmpty else { return 0 }
        return try writeNow { connection in
            try Self.requeueFailed(
                ItemFilter(states: [.failed], errors: errors),
                because: .retryable,
                connection
            )
        }
    }

    /// Requeues every finished item that comes from a host, so that a run revalidates its original.
    ///
    /// One that failed is among them if it has ever been done: its host had a bad night. Items from files and `data:` URLs stay finished: planning detects changed files. So do those of `sources`, by their
    /// index, whose changes planning detects as well.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueFinished(exceptSources sources: [Int] = []) throws(JobStoreError) -> Int {
        let excepted = sources.map(String.init).joined(separator: ", ")
        return try writeNow { connection in
            try Self.requeue(
                where: """
                    (state IN ('done', 'skipped') OR state = 'failed' AND original_sha256 IS NOT NULL)
                        AND host_id NOT IN (SELECT host_id FROM host WHERE name = '') AND source NOT IN (\(excepted))
                    """,
                because: .revalidate,
                nil,
                connection
            )
        }
    }

    /// Outdates finished outputs that were not made by one of `encoders`, names with versions, and requeues their items.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueOutputs(notBy encoders: Set<String>) throws(JobStoreError) -> Int {
        let parameters = encoders.map { _ in "?" }.joined(separator: ", ")
        return try requeue(
            outdating: "state = 'done' AND encoder IS NOT NULL AND encoder NOT IN (\(parameters))",
            encoders.sorted(),
            because: .encoder
        )
    }

    /// Outdates outputs that were skipped for one of `reasons`, the origin's wishes, and requeues those of their items that were skipped as a whole.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func requeueSkipped(for reasons: [String]) throws(JobStoreError) -> Int {
        try requeue(
            outdating: """
                reason IN (\(reasons.map { _ in "?" }.joined(separator: ", "))) AND state = 'skipped' AND item_id IN (
                    SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem) AND state = 'skipped')
                """,
            reasons,
            because: .optOut
        )
    }

    /// Outdates these outputs, whose files are missing or damaged, and requeues their items.
    /// - Throws: `JobStoreError`.
    public func requeueOutputs(_ outputs: [(itemID: Int64, name: String)]) throws(JobStoreError) {
        guard !outputs.isEmpty else { return }
        try writeNow { connection in
            for output in outputs {
                _ = try Self.requeue(
                    outdating: "item_id = ? AND name = ?",
                    [output.itemID, output.name],
                    because: .missing,
                    connection
                )
            }
        }
    }

    /// Requeues finished items whose cached originals are gone; their outputs and facts stay.
    /// - Throws: `JobStoreError`.
    public func requeue(_ items: [Int64]) throws(JobStoreError) {
        guard !items.isEmpty else { return }
        try writeNow { connection in
            for id in items {
                _ = try Self.requeue(where: Self.isOneToChange, because: .lost, id, connection)
            }
        }
    }

    /// Outdates the outputs that meet `condition`, so that a run makes them again, and requeues their items.
    private func requeue(
        outdating condition: String,
        _ values: [any StoredValue],
        because reason: OutdatedReason
    ) throws(JobStoreError) -> Int {
        try writeNow { try Self.requeue(outdating: condition, values, because: reason, $0) }
    }

    static func requeue(
        outdating condition: String,
        _ values: [any StoredValue],
        because reason: OutdatedReason,
        _ connection: Connection
    ) throws -> Int {
        let assignments = try connection.outdating(because: reason)
        let items = try connection.statement(
            "UPDATE output SET \(assignments) WHERE \(condition) RETURNING item_id"
        )
        let ids: Set<Int64> = Set(try items.rows(with: values) { $0["item_id"] })
        var count = 0
        for id in ids { count += try requeue(where: isOneToChange, because: .outputs, id, connection) }
        return count
    }

    private static let isOneToChange = "item_id = ?2 AND state IN (\(ItemEvent.change.sources))"

    /// Gives listed items that meet `condition`, whose parameter is ?2, a new set of attempts; their outputs and the facts about
    /// their originals stay.
    static func requeue(
        where condition: String,
        because reason: RequeueReason,
        _ value: (any StoredValue)?,
        _ connection: Connection
    ) throws -> Int {
        let statement = try connection.statement(
            """
            UPDATE item SET \(release(because: "'\(reason.rawValue)' || coalesce(' ' || error, '')")), updated_ms = ?1
            WHERE listed = 1 AND \(condition)
            """
        )
        try statement.run(with: [now, value].compactMap(\.self))
        return connection.changes
    }
}

extension Connection {
    /// Returns the assignments that make outputs outdated: they are neither current nor reused, and keep their paths.
    func outdating(because reason: OutdatedReason) throws(SQLiteError) -> String {
        "recipe_id = \(try recipeID(reason.recipe)), spec_sha256 = NULL"
    }
}
