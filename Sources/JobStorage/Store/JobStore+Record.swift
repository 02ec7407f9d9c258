import SQLite

/// Records what happens to items that the run holds.
///
/// Each function returns after its commit, which it shares with others: what it wrote survives a power cut. If this run
/// does not hold the item, or its state does not allow the change, the function throws and writes nothing.
extension JobStore {
    /// Records the outcome of the item with its outputs and its last attempt, and adds to the job's counters.
    /// - Throws: `JobStoreError`.
    public func record(
        _ result: ItemResult,
        of item: ClaimedItem,
        counting increments: CounterIncrements = CounterIncrements()
    ) async throws(JobStoreError) {
        let (event, error, message) = result.outcome.ending
        try await change(item, by: event) { change in
            try change.run(
                """
                state = ?5, run_id = NULL, error = ?6, message = ?7,
                cache_key = coalesce(?8, cache_key), original_sha256 = coalesce(?9, original_sha256),
                crashes = CASE ?5 WHEN 'quarantined' THEN crashes + 1 WHEN 'failed' THEN crashes ELSE 0 END,
                facts = coalesce(?10, CASE WHEN ?9 IS NULL OR original_sha256 IS ?9 THEN facts END),
                reported = CASE WHEN ?5 = 'done' OR ?5 = 'skipped' THEN 0 ELSE reported END
                """,
                result.outcome.state.rawValue,
                error,
                message,
                result.cacheKey,
                result.originalSHA256,
                result.facts
            )
            for output in result.outputs { try change.add(output) }
            if let attempt = result.attempt { try change.add(attempt) }
            change.connection.add(increments)
        }
    }

    /// Gives the item back as pending, without spending the attempt.
    ///
    /// For an interrupted run, a local problem, or a host that requires a pause. `reason` becomes the item's message.
    /// - Throws: `JobStoreError`.
    public func putBack(_ item: ClaimedItem, reason: String? = nil) async throws(JobStoreError) {
        try await change(item, by: .putBack) { change in
            try change.run("state = 'pending', attempts = attempts - 1, run_id = NULL, message = ?5", reason)
        }
    }

    /// Gives the item another attempt after `delay` milliseconds.
    ///
    /// With `spendsAttempt` false the present attempt does not count, as after a `Retry-After`.
    /// - Throws: `JobStoreError`.
    public func retryLater(
        _ item: ClaimedItem,
        after delay: Int64,
        error: String,
        message: String,
        spendsAttempt: Bool = true,
        attempt: AttemptResult? = nil,
        counting increments: CounterIncrements = CounterIncrements()
    ) async throws(JobStoreError) {
        try await change(item, by: .postpone) { change in
            try change.run(
                """
                state = 'retry', attempts = attempts - ?5, run_id = NULL, not_before_ms = ?6, error = ?7,
                message = ?8
                """,
                spendsAttempt ? 0 : 1,
                change.now + max(0, min(delay, 1 << 50)),
                error,
                message
            )
            if let attempt { try change.add(attempt) }
            change.connection.add(increments)
        }
    }

    /// Forgets what a listing has told of an item's original, which is another one: the next run plans, and asks for it again.
    /// - Throws: `JobStoreError`.
    package func forgetListing(of item: ClaimedItem) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("UPDATE item SET validator = NULL WHERE item_id = ?")
                .run(item.itemID)
            try connection.execute(
                """
                UPDATE revision SET lists_json = '' WHERE lists_json <> ''
                    AND revision_id = (SELECT max(revision_id) FROM revision)
                """
            )
        }
    }

    func change(
        _ item: ClaimedItem,
        by event: ItemEvent,
        _ body: @escaping @Sendable (ItemChange) throws -> Void
    ) async throws(JobStoreError) {
        let (run, clock) = (try currentRun(), clock)
        try await write { connection in
            try body(ItemChange(connection: connection, run: run, now: clock.now, item: item, event: event))
        }
    }
}

/// The change of one item within its transaction.
struct ItemChange {
    /// The attempts of an item that are kept.
    private static let attemptsKept: Int64 = 20

    let connection: Connection
    let run: Int64
    /// The time of the change by the store's clock: a stored wait is the time from it to `not_before_ms`.
    let now: Int64
    let item: ClaimedItem
    let event: ItemEvent

    /// Sets columns of the item (parameters from ?5 on) if the run holds it in a state that allows the event.
    func run(_ assignments: String, _ values: any StoredValue...) throws {
        let statement = try connection.statement(
            """
            UPDATE item SET updated_ms = ?1, \(assignments)
            WHERE item_id = ?2 AND run_id = ?3 AND generation = ?4 AND state IN (\(event.sources))
            """
        )
        try statement.run(with: [now, item.itemID, run, item.generation] + values)
        guard connection.changes == 1 else { throw JobStoreError.refused(item: item.itemID, event: event) }
    }

    func add(_ output: OutputRecord) throws {
        try connection.replace(item.outputs.first { $0.name == output.name }, by: output, of: item.itemID)
    }

    func add(_ attempt: AttemptResult) throws {
        let last: Int64? = try connection.statement("SELECT max(n) FROM attempt WHERE item_id = ?")
            .scalar(item.itemID)
        let number = (last ?? 0) + 1
        try connection.statement(
            """
            INSERT INTO attempt(item_id, n, generation, run_id, started_ms, ms, outcome, error, http, bytes, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).run(with: [
            item.itemID, number, item.generation, run, attempt.started, attempt.milliseconds,
            attempt.outcome, attempt.error, attempt.http, attempt.bytes, attempt.detail,
        ])
        guard number > Self.attemptsKept else { return }
        try connection.statement("DELETE FROM attempt WHERE item_id = ? AND n <= ?")
            .run(item.itemID, number - Self.attemptsKept)
    }
}

extension Connection {
    /// Records the file of an output that moves to another path or fails, since it loses its row; members of shards stay.
    func leaveFile(of name: String, itemID: Int64) throws(SQLiteError) {
        try statement(
            """
            INSERT OR REPLACE INTO leftover SELECT path, item_id, name, bytes, sha256, ?3 FROM output
            WHERE item_id = ?1 AND name = ?2 AND state = 'done' AND shard_offset IS NULL
            """
        ).run(itemID, name, JobStore.now)
    }

    /// Records an output of an item now, in place of the `former` one of its name, whose file is noted if it has another path.
    func replace(_ former: OutputRecord?, by output: OutputRecord, of itemID: Int64) throws(SQLiteError) {
        if let path = former?.path, output.path.map({ !$0.utf8.elementsEqual(path.utf8) }) ?? true {
            try leaveFile(of: output.name, itemID: itemID)
        }
        try insert(output, of: itemID, at: JobStore.now, replacing: true)
    }

    /// Inserts an output of the item, recorded at `time`; one with the same name is replaced or, if not `replacing`, an error.
    func insert(_ output: OutputRecord, of itemID: Int64, at time: Int64, replacing: Bool) throws(SQLiteError)
    {
        if output.state == .done, output.shardOffset == nil, let path = output.path {
            // The file at its path is its own from now on.
            try statement("DELETE FROM leftover WHERE path = ?").run(path)
        }
        let values: [any StoredValue] = [
            itemID, output.name, try recipeID(output.recipe), output.path, output.spec,
            output.state.rawValue, output.reason, output.bytes, output.sha256, output.width, output.height,
            output.format, output.encoder, output.shardOffset, output.quality, output.ssimulacra2,
            output.shortfall?.rawValue, time,
        ]
        guard replacing else { return try statement(Self.insertion("")).run(with: values) }
        // Mostly there is none to replace. SQLite prepares a statement that may replace one to be undone, with a copy of each page.
        try statement(Self.insertion("OR IGNORE")).run(with: values)
        if changes == 0 { try statement(Self.insertion("OR REPLACE")).run(with: values) }
    }

    private static func insertion(_ conflict: StaticString) -> String {
        """
        INSERT \(conflict) INTO output(item_id, name, recipe_id, path, spec_sha256, state, reason, bytes, sha256, width,
            height, format, encoder, shard_offset, quality, ssimulacra2, shortfall, done_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    }

    /// Returns the ID of the row for the recipe, in which it records the recipe's parts.
    func recipeID(_ recipe: OutputRecipe) throws(SQLiteError) -> Int64 {
        let id = try recipeID(recipe.recipe)
        guard !recipe.parts.isEmpty else { return id }
        try statement("UPDATE recipe SET parts = ?1 WHERE recipe_id = ?2 AND parts IS NOT ?1")
            .run(recipe.parts.jsonText, id)
        return id
    }

    /// Returns the ID of the row for `recipe`, which is inserted if it is missing.
    func recipeID(_ recipe: String) throws(SQLiteError) -> Int64 {
        let known = try statement("SELECT recipe_id FROM recipe WHERE recipe = ?")
        if let id: Int64 = try known.scalar(recipe) { return id }
        try statement("INSERT INTO recipe(recipe) VALUES (?)").run(recipe)
        return lastInsertRowID
    }
}
