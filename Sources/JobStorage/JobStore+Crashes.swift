import SQLite

extension JobStore {
    /// Counts a death of the process for each of these items, by their rows; those that are finished stay as they are.
    ///
    /// The count goes back to 0 when an item is finished.
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
                ).run(.integer(Self.now), .integer(item))
            }
        }
    }
}
