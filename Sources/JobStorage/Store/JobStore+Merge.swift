import SQLite

/// The end of a planned item that another state recorded.
package struct MergedItem: Sendable {
    /// The position in the manifest.
    package let ordinal: Int
    /// The item's identity in hexadecimal, whose first 64 bits are the state's.
    package let key: String
    /// The state: done, skipped, failed or quarantined.
    package let state: ItemState
    package let error: String?
    package let message: String?
    package let attempts: Int
    package let originalSHA256: String?
    package let facts: String?
    package let outputs: [OutputRecord]

    /// Creates an item from its parts.
    package init(
        ordinal: Int,
        key: String,
        state: ItemState,
        error: String?,
        message: String?,
        attempts: Int,
        originalSHA256: String?,
        facts: String?,
        outputs: [OutputRecord]
    ) {
        self.ordinal = ordinal
        self.key = key
        self.state = state
        self.error = error
        self.message = message
        self.attempts = attempts
        self.originalSHA256 = originalSHA256
        self.facts = facts
        self.outputs = outputs
    }
}

extension MergedItem {
    /// The first 64 bits of the identity, as `NewItem.key`.
    fileprivate var shortKey: Int64 { Int64(bitPattern: UInt64(key.prefix(16), radix: 16) ?? 0) }
}

extension JobStore {
    /// Records the ends of planned items, all or none, as of a time in milliseconds since 1970.
    ///
    /// An item is found by its place and its identity.
    /// - Returns: The number of items that the state has.
    /// - Throws: `JobStoreError`.
    package func merge(_ items: [MergedItem], at time: Int64) throws(JobStoreError) -> Int {
        try writeNow { connection in
            var found = 0
            for item in items {
                let id: Int64? = try connection.statement(
                    """
                    SELECT item_id FROM item INDEXED BY item_by_ordinal WHERE listed = 1 AND ordinal = ? AND item_key = ?
                    """
                ).scalar(item.ordinal, item.shortKey)
                guard let id else { continue }
                found += 1
                try connection.statement(
                    """
                    UPDATE item SET state = ?2, error = ?3, message = ?4, attempts = ?5, original_sha256 = ?6, facts = ?7,
                        updated_ms = ?8 WHERE item_id = ?1
                    """
                ).run(with: [
                    id, item.state.rawValue, item.error, item.message, item.attempts, item.originalSHA256,
                    item.facts, time,
                ])
                for var output in item.outputs {
                    // The manifest that asks for them may have another destination, as that of a residue has.
                    output.recipe = try connection.wantedRecipe(of: output.name, itemID: id) ?? output.recipe
                    try connection.insert(output, of: id, at: time, replacing: true)
                }
            }
            return found
        }
    }

    /// Records a run that has collected the work of others.
    /// - Throws: `JobStoreError`.
    package func recordCollection(version: String, exit: Int) throws(JobStoreError) {
        _ = try beginRun(version: version)
        try endRun(exit: exit)
    }
}

extension Connection {
    /// Returns the recipe of an output that the current revision asks for; nil if it asks for none of this name.
    fileprivate func wantedRecipe(of name: String, itemID: Int64) throws(SQLiteError) -> String? {
        try statement(
            """
            SELECT r.recipe FROM item i JOIN wanted w ON w.source = i.source AND w.name = ?2 JOIN recipe r USING (recipe_id)
            WHERE i.item_id = ?1
            """
        ).scalar(itemID, name)
    }
}
