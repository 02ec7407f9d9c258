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
        var pages = RowPages(
            reader: self,
            query: """
                SELECT item_id, ordinal, json_extract(facts, '$.pdq.hash') AS hash,
                    json_extract(facts, '$.pdq.quality') AS quality
                FROM item INDEXED BY item_by_ordinal WHERE listed = 1 AND (ordinal, item_id) > (?1, ?2)
                ORDER BY ordinal, item_id LIMIT 10000
                """,
            row: { row -> (itemID: Int64, ordinal: Int, hash: String?, quality: Int?) in
                (row["item_id"], row["ordinal"], row["hash"], row["quality"])
            },
            position: { [$0.ordinal, $0.itemID] },
            last: [Int.min, Int64.min]
        )
        while let page = try pages.next() {
            for (itemID, ordinal, hash, quality) in page {
                guard let hash, let quality else { continue }
                body(HashedItem(itemID: itemID, ordinal: ordinal, hash: hash, quality: quality))
            }
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
