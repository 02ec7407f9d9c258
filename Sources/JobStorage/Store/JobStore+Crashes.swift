import SQLite

extension JobStore {
    /// Counts a crash of the process for each of these items, by row ID, unless they are finished.
    ///
    /// The count returns to 0 when an item is done or skipped.
    /// - Throws: `JobStoreError`.
    public func addCrash(to items: [Int64]) throws(JobStoreError) {
        guard !items.isEmpty else { return }
        try writeNow { connection in
            for item in items {
                try connection.statement(
                    """
                    UPDATE item SET crashes = crashes + 1, updated_ms = ?1
                    WHERE item_id = ?2 AND state IN (\(ItemEvent.claim.sources))
                    """
                ).run(Self.now, item)
            }
        }
    }
}
