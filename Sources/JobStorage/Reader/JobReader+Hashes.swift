import SQLite

/// The perceptual hash of an item's original, as the fact `pdq` has it.
package struct HashedItem: Sendable {
    /// The row's ID.
    package let itemID: Int64
    /// The position in the manifest, over all sources.
    package let ordinal: Int
    /// The hash as 64 hexadecimal digits.
    package let hash: String
    /// The quality of the hash, 0 to 100.
    package let quality: Int
}

extension JobReader {
    /// Calls `body` with each listed item whose original has a perceptual hash on record, in the manifest's order.
    /// - Throws: `JobStoreError`.
    package func forEachHash(_ body: (HashedItem) -> Void) throws(JobStoreError) {
        var last: (ordinal: Int, itemID: Int64) = (.min, .min)
        while true {
            let page = try read { [last] connection in
                try connection.statement(
                    """
                    SELECT item_id, ordinal, json_extract(facts, '$.pdq.hash') AS hash,
                        json_extract(facts, '$.pdq.quality') AS quality
                    FROM item INDEXED BY item_by_ordinal WHERE listed = 1 AND (ordinal, item_id) > (?1, ?2)
                    ORDER BY ordinal, item_id LIMIT 10000
                    """
                ).rows(last.ordinal, last.itemID) { row in
                    (
                        row["item_id"] as Int64, row["ordinal"] as Int, row["hash"] as String?,
                        row["quality"] as Int?
                    )
                }
            }
            guard let end = page.last else { return }
            for (itemID, ordinal, hash, quality) in page {
                guard let hash, let quality else { continue }
                body(HashedItem(itemID: itemID, ordinal: ordinal, hash: hash, quality: quality))
            }
            last = (end.1, end.0)
        }
    }

    /// Returns the item of this row.
    /// - Throws: `JobStoreError`.
    package func item(_ itemID: Int64) throws(JobStoreError) -> ItemRecord? {
        try read("SELECT \(ItemRecord.columns) FROM item WHERE item_id = ?") {
            try $0.first(itemID) { ItemRecord($0) }
        }
    }
}
