import SQLite

/// Outputs that another tool made.
extension JobStore {
    /// Records the adopted outputs of `items` in one transaction, and finishes the items that have nothing left to make.
    ///
    /// An item that is not finished is requeued, so that a run makes the rest and nothing else.
    /// - Returns: The outputs that were not recorded, because another one has their path, by the items' positions in `items`.
    /// - Throws: `JobStoreError`.
    package func adopt(_ items: [AdoptedItem]) throws(JobStoreError) -> [Int: [String]] {
        try writeNow { connection in
            var refused: [Int: [String]] = [:]
            for (index, adopted) in items.enumerated() {
                let names = try Self.refused(adopted, connection)
                if !names.isEmpty { refused[index] = names }
                let outputs = adopted.outputs.map(\.record).filter { !names.contains($0.name) }
                guard !outputs.isEmpty else { continue }
                try Self.change(adopted.item, finishing: adopted.isFinished && names.isEmpty, connection)
                for output in outputs {
                    let former = adopted.item.outputs.first { $0.name == output.name }
                    try connection.replace(former, by: output, of: adopted.item.itemID)
                }
            }
            return refused
        }
    }

    /// Returns the names of the outputs whose paths other outputs have.
    private static func refused(_ adopted: AdoptedItem, _ connection: Connection) throws -> [String] {
        var paths: Set<String> = []
        return try adopted.outputs.filter { output in
            guard output.isPathLate, let path = output.record.path else { return false }
            // Two outputs of one item have no rows yet.
            guard paths.insert(path).inserted else { return true }
            return try outputs("o.path = ?1 AND NOT (o.item_id = ?2 AND o.name = ?3)", connection)
                .scalar(path, adopted.item.itemID, output.record.name) == true
        }.map(\.record.name)
    }

    private static func change(
        _ item: ClaimedItem,
        finishing isFinished: Bool,
        _ connection: Connection
    ) throws {
        // Outputs of an item are read again only in a later generation.
        let assignments =
            isFinished
            ? "state = 'done', error = NULL, message = NULL"
            : release(because: "'\(RequeueReason.outputs.rawValue)'")
        try connection.statement(
            """
            UPDATE item SET \(assignments), not_before_ms = 0,
                original_sha256 = coalesce(original_sha256, '\(AdoptedItem.unknownOriginal)'),
                reported = iif(?2, 0, reported), updated_ms = ?3
            WHERE item_id = ?1 AND listed = 1 AND state IN (\(ItemEvent.adopt.sources))
            """
        ).run(item.itemID, isFinished ? 1 : 0, now)
        guard connection.changes == 1 else { throw JobStoreError.refused(item: item.itemID, event: .adopt) }
    }
}

extension JobReader {
    /// Returns at most `limit` unfinished items after the one of this ID, with their outputs and collisions.
    /// - Throws: `JobStoreError`.
    package func unfinishedItems(after last: Int64, limit: Int) throws(JobStoreError) -> [ClaimedItem] {
        try read { connection in
            var items = try connection.statement(
                """
                SELECT \(ClaimedItem.columns) FROM item WHERE item_id > ? AND \(Schema.isReady) ORDER BY item_id LIMIT ?
                """
            ).rows(last, limit) { ClaimedItem($0) }
            for index in items.indices {
                items[index].outputs = try connection.outputs(of: items[index].itemID)
                items[index].collisions = try connection.collisions(of: items[index].itemID)
            }
            return items
        }
    }
}
