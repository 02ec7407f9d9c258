import CSQLite

/// A read-only statement from untrusted SQL, whose columns only its writer knows: they are read by their position.
public struct Query {
    private let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }

    /// The names of the result columns, in order.
    public var columnNames: [String] {
        statement.columnNames
    }

    /// Steps to the next row.
    /// - Returns: True if there is a row. After the last row, the next step begins the query again.
    /// - Throws: `SQLiteError`.
    public func step() throws(SQLiteError) -> Bool {
        try statement.step()
    }

    /// True if `column` of the row, counted from 0, is NULL.
    public func isNull(_ column: Int) -> Bool {
        cell(column).isNull
    }

    /// The number of bytes of the text or blob in `column` of the row, without building it.
    public func byteCount(_ column: Int) -> Int {
        cell(column).byteCount
    }

    /// The text in `column` of the row, empty for NULL; nil if the bytes are not UTF-8.
    public func text(_ column: Int) -> String? {
        cell(column).validText
    }

    private func cell(_ column: Int) -> Cell {
        Cell(statement: statement.handle, column: Int32(column))
    }

    /// The reason to refuse the statement; nil if it is allowed.
    var problem: String? {
        if statement.isFollowed { return "it has more than one statement" }
        if statement.columnNames.isEmpty { return "it returns no columns: write a SELECT" }
        if sqlite3_stmt_readonly(statement.handle) == 0 { return "it would write: write a SELECT" }
        if sqlite3_bind_parameter_count(statement.handle) > 0 {
            return "it has parameters, which are not supported"
        }
        return nil
    }
}
