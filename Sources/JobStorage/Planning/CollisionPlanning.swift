import SQLite

/// The outputs of a planning that are not made, because an earlier row has their path.
enum CollisionPlanning {
    static func begin(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE blocked(ordinal INTEGER, name TEXT, path TEXT, owner INTEGER, is_skipped INTEGER);
            CREATE TEMP TABLE collided(item_id INTEGER, name TEXT, path TEXT, owner TEXT, is_skipped INTEGER)
            """
        )
    }

    static func discard(_ connection: Connection) throws {
        for table in ["blocked", "collided"] {
            try connection.execute("DROP TABLE IF EXISTS temp.\(table)")
        }
    }

    static func add(_ outputs: [BlockedOutput], _ connection: Connection) throws {
        let statement = try connection.statement("INSERT INTO temp.blocked VALUES (?, ?, ?, ?, ?)")
        for output in outputs {
            try statement.run(with: [
                output.ordinal, output.output, output.path, output.owner, output.isSkipped ? 1 : 0,
            ])
        }
    }

    /// Replaces the collisions of the former planning, once the items have their new positions.
    ///
    /// With `requeued`, a temporary table for IDs of items and reasons, it also gets those whose outputs are affected.
    static func finish(_ connection: Connection, requeued: String? = nil) throws {
        try connection.execute(
            """
            INSERT INTO temp.collided SELECT i.item_id, b.name, b.path, coalesce((
                    SELECT f.location FROM item f INDEXED BY item_by_ordinal
                    WHERE f.listed = 1 AND f.ordinal = b.owner), 'an earlier row'), b.is_skipped
                FROM temp.blocked b CROSS JOIN item i INDEXED BY item_by_ordinal
                WHERE i.listed = 1 AND i.ordinal = b.ordinal
            """
        )
        if let requeued {
            // An item that failed before it had outputs, such as by a 404, gains nothing by another request.
            let columns = "item_id, name, path, is_skipped"
            let outdating = try connection.outdating(because: .collision)
            try connection.execute(
                """
                UPDATE output SET \(outdating) WHERE state <> 'done'
                    AND (item_id, name) IN (SELECT item_id, name FROM collision EXCEPT SELECT item_id, name FROM temp.collided);
                INSERT OR IGNORE INTO \(requeued) SELECT item_id, 'collisions' FROM (
                    SELECT * FROM (SELECT \(columns) FROM collision EXCEPT SELECT \(columns) FROM temp.collided)
                    UNION ALL
                    SELECT * FROM (SELECT \(columns) FROM temp.collided EXCEPT SELECT \(columns) FROM collision)) c
                WHERE EXISTS (SELECT 1 FROM output o WHERE o.item_id = c.item_id AND o.name = c.name)
                """
            )
        }
        try connection.execute("DELETE FROM collision")
        try connection.execute("INSERT OR IGNORE INTO collision SELECT * FROM temp.collided")
        try discard(connection)
    }
}
