import SQLite

/// Items with the same original, of which the first in the manifest's order stands for all.
///
/// The content of the table `duplicate` depends on nothing but the list and the originals: no order in which items end, no kill
/// and no earlier run changes it.
extension JobStore {
    /// Notes the original of an item that the run holds, and goes on to hold it; nil for one that is not compared with others.
    ///
    /// Facts about another original are forgotten; `facts`, as JSON, replace them.
    /// - Throws: `JobStoreError`.
    public func noteOriginal(
        of item: ClaimedItem,
        sha256: String?,
        cacheKey: String?,
        facts: String?,
        counting increments: CounterIncrements = CounterIncrements()
    ) async throws(JobStoreError) {
        try await change(item, by: .putBack) { change in
            try change.run(
                """
                facts = coalesce(?7, CASE WHEN original_sha256 IS ?5 THEN facts END), original_sha256 = ?5,
                cache_key = coalesce(?6, cache_key)
                """,
                sha256,
                cacheKey,
                facts
            )
            change.connection.add(increments)
        }
    }

    /// Puts back all items that the run holds, without spending their attempts.
    /// - Throws: `JobStoreError`.
    public func putBackHeld() throws(JobStoreError) {
        let run = try currentRun()
        try writeNow { try Self.putBack(heldBy: run, $0) }
    }

    /// Finds the items whose originals earlier items have as well, by the digests on record.
    /// - Throws: `JobStoreError`.
    public func findEqualOriginals(in scope: ComparisonScope) throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute("DELETE FROM duplicate")
            let statement = try connection.statement(
                """
                INSERT INTO duplicate(item_id, twin_id, original_sha256, distance)
                SELECT item_id, twin_id, original_sha256, 0 FROM (
                    SELECT item_id, original_sha256, first_value(item_id)
                        OVER (PARTITION BY original_sha256 ORDER BY ordinal, item_id) AS twin_id
                    FROM item AS i WHERE \(scope.condition))
                WHERE twin_id <> item_id
                """
            )
            try statement.run(with: scope.values)
        }
    }

    /// Returns the originals to compare, in the order of the manifest, with the facts about them.
    /// - Throws: `JobStoreError`.
    public func forEachOriginal(
        in scope: ComparisonScope,
        _ body: @escaping @Sendable (ComparedOriginal) -> Void
    ) throws(JobStoreError) {
        try writeNow { connection in
            let statement = try connection.statement(
                """
                SELECT item_id, original_sha256, json_extract(facts, '$.pdq.hash') AS hash,
                    json_extract(facts, '$.pdq.quality') AS quality
                FROM item AS i INDEXED BY item_by_ordinal WHERE \(scope.condition)
                ORDER BY ordinal, item_id
                """
            )
            try statement.bind(scope.values)
            while try statement.step() { body(ComparedOriginal(statement)) }
        }
    }

    /// Replaces the duplicates by these.
    /// - Throws: `JobStoreError`.
    public func replaceDuplicates(_ found: [FoundDuplicate]) throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute("DELETE FROM duplicate")
            let statement = try connection.statement(
                """
                INSERT INTO duplicate(item_id, twin_id, original_sha256, distance)
                SELECT item_id, ?2, original_sha256, ?3 FROM item WHERE item_id = ?1
                """
            )
            for pair in found { try statement.run(pair.itemID, pair.twinID, pair.distance) }
        }
    }

    /// Forgets which items have the same original.
    /// - Throws: `JobStoreError`.
    public func forgetDuplicates() throws(JobStoreError) {
        try writeNow { try $0.execute("DELETE FROM duplicate") }
    }

    /// Requeues finished items that were skipped as duplicates and are none, and those that are duplicates of finished items
    /// and were not skipped.
    /// - Returns: The number of items.
    /// - Throws: `JobStoreError`.
    public func requeueDuplicates() throws(JobStoreError) -> Int {
        try writeNow { connection in
            let alone = try Self.requeue(
                outdating: """
                    state = 'skipped' AND reason = ? AND item_id IN (
                        SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem) AND state = 'skipped'
                        EXCEPT SELECT item_id FROM duplicate)
                    """,
                [OutputRecord.duplicate],
                because: .duplicate,
                connection
            )
            // One whose twin is still to be made, and may fail, keeps what it has.
            let made = try Self.requeue(
                where: """
                    state IN ('done', 'skipped') AND item_id IN (
                        SELECT d.item_id FROM duplicate d CROSS JOIN item t ON t.item_id = d.twin_id
                            CROSS JOIN item i ON i.item_id = d.item_id
                        WHERE t.state IN ('done', 'skipped') AND EXISTS (
                            SELECT 1 FROM output o JOIN wanted w ON w.source = i.source AND w.name = o.name
                            WHERE o.item_id = i.item_id AND o.reason IS NOT ?2))
                    """,
                because: .duplicate,
                OutputRecord.duplicate,
                connection
            )
            return alone + made
        }
    }
}
