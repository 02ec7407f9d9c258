import SQLite

extension JobReader {
    /// Returns the twin of an item that was skipped because of it.
    static func twin(of item: ItemRecord, _ connection: Connection) throws(SQLiteError) -> Twin? {
        guard item.state == .skipped, item.message == OutputRecord.duplicate else { return nil }
        return try Twin.of(item.itemID, connection)
    }
}
