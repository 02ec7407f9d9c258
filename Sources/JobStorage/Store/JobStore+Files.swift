import SQLite

extension JobStore {
    /// Forgets files that `unwantedFiles` returned.
    /// - Throws: `JobStoreError`.
    public func forget(_ files: [RecordedFile]) throws(JobStoreError) {
        try writeNow { connection in
            for file in files {
                try connection.statement("DELETE FROM leftover WHERE path = ? AND item_id = ?")
                    .run(.text(file.path), .integer(file.itemID))
                try connection.statement(
                    """
                    DELETE FROM output WHERE item_id = ?1 AND name = ?2 AND path = ?3
                        AND (item_id, name) IN (SELECT o.item_id, o.name \(JobReader.unwanted))
                    """
                ).run(.integer(file.itemID), .text(file.name), .text(file.path))
                try connection.statement(
                    "DELETE FROM markup WHERE path = ? AND pass < \(JobReader.lastMarkupPass)"
                ).run(.text(file.path))
            }
        }
    }
}
