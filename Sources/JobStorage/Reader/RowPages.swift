import SQLite

/// The rows of a query in pages, between which no transaction is open.
struct RowPages<Row: Sendable> {
    let reader: JobReader
    /// Returns the next rows behind a position, which are its parameters.
    let query: String
    let row: @Sendable (Statement) -> Row
    let position: (Row) -> [any StoredValue]
    /// The position of the last row that was read; at first one before all rows.
    var last: [any StoredValue]

    /// Returns the next page; nil behind the last.
    /// - Throws: `JobStoreError`.
    mutating func next() throws(JobStoreError) -> [Row]? {
        let page = try reader.read(query) { [row, last] in try $0.rows(with: last, row: row) }
        guard let end = page.last else { return nil }
        last = position(end)
        return page
    }
}
