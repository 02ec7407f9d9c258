import CSQLite

/// A read-only statement from untrusted SQL, whose columns are read by their position.
public struct Query {
    let statement: Statement

    /// The names of the result columns, in order.
    public var columnNames: [String] { statement.columnNames }

    /// Steps to the next row.
    /// - Returns: True if there is a row. After the last row, the next step begins the query again.
    /// - Throws: `SQLiteError`.
    public func step() throws(SQLiteError) -> Bool { try statement.step() }

    /// The column of the row at this position, counted from 0.
    public subscript(column: Int) -> Cell { Cell(statement: statement.handle, column: Int32(column)) }

    /// The reason to refuse the statement; nil if it is allowed.
    var problem: String? {
        if statement.isFollowed { return "it has more than one statement" }
        if columnNames.isEmpty { return "it returns no columns: write a SELECT" }
        if sqlite3_stmt_readonly(statement.handle) == 0 { return "it would write: write a SELECT" }
        if sqlite3_bind_parameter_count(statement.handle) > 0 {
            return "it has parameters, which are not supported"
        }
        return nil
    }
}
