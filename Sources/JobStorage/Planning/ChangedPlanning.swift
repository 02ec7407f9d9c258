import SQLite

/// A later planning, which collects its rows in a temporary table and then compares them with the items, so that an
/// unchanged item is not written.
enum ChangedPlanning {
    static func begin(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE planned(item_id INTEGER, item_key INTEGER, ordinal INTEGER, host_id INTEGER,
                source INTEGER, priority INTEGER, state TEXT, updated_ms INTEGER, url TEXT, headers_json TEXT,
                id TEXT, vars_json TEXT, location TEXT, validator TEXT, placement INTEGER, error TEXT, message TEXT)
            """
        )
    }

    static func discard(_ connection: Connection) throws {
        for table in ["planned", "requeued", "wanted_fact"] {
            try connection.execute("DROP TABLE IF EXISTS temp.\(table)")
        }
    }

    static func finish(
        _ connection: Connection,
        recipes: [OutputRecipe],
        facts: [String]?,
        unasked: [String],
        added: Int
    ) throws -> PlanCounts {
        var counts = PlanCounts()
        counts.duplicates = try matchItems(connection)
        counts.items = added - counts.duplicates
        counts.left = try removeLeft(connection)
        try connection.execute(
            "CREATE TEMP TABLE requeued(item_id INTEGER PRIMARY KEY, reason TEXT NOT NULL)"
        )
        try requeueChangedOriginals(connection)
        try refuseBadRows(connection)
        try updateListed(connection)
        counts.new = try insertNew(connection)
        try connection.replaceWanted(recipes)
        try outdateKeptFiles(connection, recipes)
        try CollisionPlanning.finish(connection, requeued: "temp.requeued")
        try requeueMissingOutputs(connection)
        if let facts {
            try requeueMissingFacts(connection, facts, unasked: unasked)
            try forgetUnwantedOutputs(connection)
        }
        counts.changed = Int(try connection.integer("SELECT count(*) FROM temp.requeued"))
        try discard(connection)
        return counts
    }

    /// - Returns: The number of rows that repeat another row.
    private static func matchItems(_ connection: Connection) throws -> Int {
        try connection.execute("CREATE INDEX temp.planned_by_key ON planned(item_key)")
        let duplicates = try connection.removeDuplicates(from: "temp.planned")
        try connection.execute(
            """
            UPDATE temp.planned AS p SET item_id = (
                SELECT i.item_id FROM item i INDEXED BY item_by_key WHERE i.item_key = p.item_key
                    AND i.url = p.url AND i.headers_json IS p.headers_json AND i.id IS p.id);
            CREATE INDEX temp.planned_by_item ON planned(item_id);
            """
        )
        return duplicates
    }

    private static func removeLeft(_ connection: Connection) throws -> Int {
        try connection.execute(
            """
            UPDATE item SET listed = 0, reported = 0 WHERE listed = 1
                AND NOT EXISTS (SELECT 1 FROM temp.planned p WHERE p.item_id = item.item_id)
            """
        )
        return connection.changes
    }

    /// Requeues items whose original or paths changed, or whose row is no longer bad.
    private static func requeueChangedOriginals(_ connection: Connection) throws {
        // Only a row that was bad when it was planned has failed without an attempt.
        try connection.execute(
            """
            INSERT INTO temp.requeued
            SELECT i.item_id, CASE WHEN p.validator IS NOT NULL AND p.validator IS NOT i.validator THEN 'original'
                WHEN i.state = 'failed' THEN 'row ' || i.error ELSE 'path' END
            FROM temp.planned p CROSS JOIN item i USING (item_id)
            WHERE p.state = 'pending' AND i.state IN (\(ItemEvent.change.sources)) AND (
                (p.validator IS NOT NULL AND p.validator IS NOT i.validator)
                OR (p.placement IS NOT NULL AND p.placement IS NOT i.placement AND i.state IN ('done', 'skipped'))
                OR (i.state = 'failed' AND i.attempts = 0))
            """
        )
        try release(connection)
        try connection.execute(
            """
            UPDATE item SET cache_key = NULL, original_sha256 = NULL, facts = NULL
            FROM temp.planned p WHERE p.item_id = item.item_id
                AND item.item_id IN (SELECT item_id FROM temp.requeued)
                AND p.validator IS NOT NULL AND p.validator IS NOT item.validator
            """
        )
    }

    /// Fails unfinished items that the manifest no longer allows, such as those of another scheme.
    private static func refuseBadRows(_ connection: Connection) throws {
        try connection.execute(
            """
            UPDATE item SET state = 'failed', attempts = 0, not_before_ms = 0, error = p.error,
                message = p.message, updated_ms = p.updated_ms
            FROM temp.planned p WHERE p.item_id = item.item_id AND p.state = 'failed'
                AND item.state IN ('pending', 'retry')
            """
        )
    }

    private static func updateListed(_ connection: Connection) throws {
        try connection.execute(
            """
            UPDATE item SET listed = 1, ordinal = p.ordinal, host_id = p.host_id, source = p.source,
                priority = p.priority, vars_json = p.vars_json, location = p.location,
                message = iif(item.state = 'failed' AND p.state = 'failed', p.message, item.message),
                validator = coalesce(p.validator, item.validator), placement = coalesce(p.placement, item.placement)
            FROM temp.planned p WHERE p.item_id = item.item_id AND (
                item.listed = 0 OR item.ordinal <> p.ordinal OR item.host_id <> p.host_id
                OR item.source <> p.source OR item.priority <> p.priority OR item.vars_json IS NOT p.vars_json
                OR item.location <> p.location OR item.validator IS NOT coalesce(p.validator, item.validator)
                OR item.placement IS NOT coalesce(p.placement, item.placement))
            """
        )
    }

    private static func insertNew(_ connection: Connection) throws -> Int {
        try connection.execute(
            """
            INSERT INTO item(\(NewItems.columns)) SELECT \(NewItems.columns) FROM temp.planned
            WHERE item_id IS NULL ORDER BY ordinal
            """
        )
        return connection.changes
    }

    /// Outdates outputs that were skipped because their file existed, if they may replace it now.
    private static func outdateKeptFiles(_ connection: Connection, _ recipes: [OutputRecipe]) throws {
        let isKept = "state = 'skipped' AND reason = '\(OutputRecord.exists)'"
        guard try connection.integer("SELECT EXISTS (SELECT 1 FROM output WHERE \(isKept))") == 1 else {
            return
        }
        let outdating = try connection.outdating(because: .existing)
        for recipe in recipes where recipe.replacesFiles {
            try connection.statement(
                """
                UPDATE output SET \(outdating) WHERE name = ?1 AND \(isKept)
                    AND (SELECT source FROM item WHERE item.item_id = output.item_id) = ?2
                """
            ).run(recipe.output, recipe.source)
        }
    }

    /// Requeues finished items that lack an output that the manifest asks for.
    private static func requeueMissingOutputs(_ connection: Connection) throws {
        try connection.execute(
            """
            INSERT OR IGNORE INTO temp.requeued SELECT item_id, 'outputs' FROM item WHERE listed = 1 AND (
                (state IN ('done', 'skipped') AND EXISTS (
                    SELECT 1 FROM wanted w WHERE w.source = item.source AND NOT EXISTS (
                        SELECT 1 FROM output o WHERE o.item_id = item.item_id AND o.name = w.name
                            AND o.recipe_id = w.recipe_id AND o.state IN ('done', 'skipped'))))
                OR (state = 'failed' AND EXISTS (
                    SELECT 1 FROM output o WHERE o.item_id = item.item_id AND o.state = 'failed' AND NOT EXISTS (
                        SELECT 1 FROM wanted w WHERE w.source = item.source AND w.name = o.name
                            AND w.recipe_id = o.recipe_id))))
            """
        )
        try release(connection)
    }

    /// Forgets facts that the manifest no longer asks for, and requeues finished items that lack a requested fact.
    ///
    /// Those in `unasked` are told without being asked for, unless they are null.
    private static func requeueMissingFacts(
        _ connection: Connection,
        _ names: [String],
        unasked: [String]
    ) throws {
        try connection.execute(
            "CREATE TEMP TABLE wanted_fact(name TEXT PRIMARY KEY, is_asked INTEGER NOT NULL)"
        )
        for (names, isAsked) in [(names, true), (unasked, false)] {
            for name in names {
                try connection.statement("INSERT OR IGNORE INTO temp.wanted_fact VALUES (?, ?)")
                    .run(name, isAsked ? 1 : 0)
            }
        }
        let isWanted = """
            EXISTS (SELECT 1 FROM temp.wanted_fact w WHERE w.name = f.key AND (w.is_asked OR f.type <> 'null'))
            """
        try connection.execute(
            """
            UPDATE item SET facts = (
                SELECT nullif(json_group_object(f.key, json(item.facts -> f.key)), '{}') FROM json_each(item.facts) f
                WHERE \(isWanted))
            WHERE CASE WHEN json_valid(facts) THEN EXISTS (
                SELECT 1 FROM json_each(item.facts) f WHERE NOT \(isWanted)) END;
            INSERT OR IGNORE INTO temp.requeued SELECT item_id, 'facts' FROM item
            WHERE listed = 1 AND state IN ('done', 'skipped') AND EXISTS (
                SELECT 1 FROM temp.wanted_fact w WHERE w.is_asked
                    AND CASE WHEN json_valid(item.facts) THEN item.facts -> w.name END IS NULL)
            """
        )
        try release(connection)
    }

    /// Removes outputs that the manifest no longer has from the fact that names those with a gain map and those without.
    private static func forgetUnwantedOutputs(_ connection: Connection) throws {
        func isWanted(_ name: String) -> String {
            "EXISTS (SELECT 1 FROM wanted w WHERE w.source = item.source AND w.name = \(name))"
        }
        try connection.execute(
            """
            UPDATE item SET facts = json_set(facts,
                '$.gainMap.kept', json((SELECT json_group_array(k.value)
                    FROM json_each(item.facts, '$.gainMap.kept') k WHERE \(isWanted("k.value")))),
                '$.gainMap.dropped', json((SELECT json_group_object(d.key, d.value)
                    FROM json_each(item.facts, '$.gainMap.dropped') d WHERE \(isWanted("d.key")))))
            WHERE CASE WHEN json_valid(facts) THEN
                EXISTS (SELECT 1 FROM json_each(item.facts, '$.gainMap.kept') k WHERE NOT \(isWanted("k.value")))
                OR EXISTS (SELECT 1 FROM json_each(item.facts, '$.gainMap.dropped') d WHERE NOT \(isWanted("d.key")))
            END
            """
        )
    }

    /// Gives the items in `requeued` a new set of attempts.
    private static func release(_ connection: Connection) throws {
        let reason = "(SELECT reason FROM temp.requeued r WHERE r.item_id = item.item_id)"
        try connection.statement(
            """
            UPDATE item SET \(JobStore.release(because: reason)), updated_ms = ?1
            WHERE item_id IN (SELECT item_id FROM temp.requeued)
                AND state IN (\(ItemEvent.change.sources))
            """
        ).run(JobStore.now)
    }
}
