import SQLite

/// The comparison of two plans in a state that is made for it alone.
extension JobStore {
    /// Makes all pending items look as if a run had done them, with `facts` about each; nothing is made.
    /// - Throws: `JobStoreError`.
    package func assumeDone(facts: [String]) throws(JobStoreError) {
        let facts = facts.isEmpty ? nil : "{\(facts.map { "\"\($0)\":null" }.joined(separator: ","))}"
        try writeNow { connection in
            let now = Self.now
            try connection.statement(
                """
                INSERT INTO output(item_id, name, recipe_id, path, state, bytes, sha256, done_ms)
                SELECT i.item_id, w.name, w.recipe_id, '', iif(c.name IS NULL, 'done', 'skipped'), 0, '', ?
                FROM item i JOIN wanted w ON w.source = i.source
                    LEFT JOIN collision c ON c.item_id = i.item_id AND c.name = w.name
                WHERE i.listed = 1 AND i.state = 'pending'
                """
            ).run(now)
            try connection.statement(
                "UPDATE item SET state = 'done', original_sha256 = ?, facts = ?, updated_ms = ? WHERE state = 'pending'"
            ).run(AdoptedItem.unknownOriginal, facts, now)
        }
    }

    /// Notes the items that are listed now, for `forEachGone`.
    /// - Throws: `JobStoreError`.
    package func noteListed() throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute("CREATE TABLE noted AS SELECT item_id FROM item WHERE listed = 1")
        }
    }
}

extension JobReader {
    /// Calls `body` with the URL of each item that was listed when that was noted, and is not any more.
    /// - Throws: `JobStoreError`.
    package func forEachGone(_ body: (String) -> Void) throws(JobStoreError) {
        try forEachPage(
            of: """
                SELECT item_id, url FROM noted CROSS JOIN item USING (item_id)
                WHERE listed = 0 AND item_id > ? ORDER BY item_id LIMIT 1000
                """,
            row: { $0["url"] as String },
            body
        )
    }
}
