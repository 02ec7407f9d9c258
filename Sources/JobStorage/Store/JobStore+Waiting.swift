import SQLite

/// Changes unfinished items during a run or between runs.
extension JobStore {
    /// Gives all unfinished items that fit `filter` another priority, from 0 (very low) to 4 (very high).
    ///
    /// - Returns: The number of changed items.
    /// - Throws: `JobStoreError`.
    public func changePriority(of filter: ItemFilter, to priority: Int) async throws(JobStoreError) -> Int {
        try await write { connection in
            let statement = try connection.statement(
                """
                UPDATE item SET priority = ?4
                WHERE listed = 1 AND state IN ('pending', 'running', 'retry') AND priority <> ?4
                    AND \(ItemFilter.condition)
                """
            )
            try statement.run(with: filter.values + [min(max(priority, 0), 4)])
            return connection.changes
        }
    }

    /// Refunds one attempt to each unfinished item, after failures that were no fault of the items.
    /// - Throws: `JobStoreError`.
    public func refund(_ items: [ClaimedItem]) async throws(JobStoreError) {
        guard !items.isEmpty else { return }
        try await write { connection in
            let statement = try connection.statement(
                """
                UPDATE item SET attempts = attempts - 1
                WHERE item_id = ? AND generation = ? AND attempts > 0
                    AND state IN ('pending', 'running', 'retry')
                """
            )
            for item in items { try statement.run(item.itemID, item.generation) }
        }
    }
}
