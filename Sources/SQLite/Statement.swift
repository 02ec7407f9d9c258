import CSQLite
import Foundation

/// A prepared statement, confined to the thread of its connection.
public final class Statement {
    let handle: OpaquePointer
    // Unowned, because the connection keeps its statements and a strong reference would be a cycle.
    private unowned let connection: Connection

    /// True if more than white space follows the statement in its text.
    let isFollowed: Bool
    /// The names of the result columns, in order.
    let columnNames: [String]
    /// For each column, the literal that was found to be its name: the same address is the same name.
    private let literals: UnsafeMutableBufferPointer<UnsafePointer<UInt8>?>
    /// The column behind the one that was read last: a row is mostly read in the order of its columns.
    private var next = 0

    init(_ sql: String, connection: Connection) throws(SQLiteError) {
        var handle: OpaquePointer?
        var isFollowed = false
        let code = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(
                connection.handle,
                text,
                -1,
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &handle,
                &rest
            )
            while let next = rest, next.pointee != 0 {
                if next.pointee > 0x20 { isFollowed = true }
                rest = next + 1
            }
            return code
        }
        guard code == SQLITE_OK else { throw connection.failure(sql) }
        guard let handle else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "it has no statement", path: "", statement: sql)
        }
        self.handle = handle
        self.connection = connection
        self.isFollowed = isFollowed
        columnNames = (0..<sqlite3_column_count(handle)).map { column in
            sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
        }
        literals = .allocate(capacity: columnNames.count)
        literals.initialize(repeating: nil)
    }

    deinit {
        literals.deallocate()
        sqlite3_finalize(handle)
    }

    /// Resets the statement and binds the parameters in order.
    /// - Throws: `SQLiteError` if there are more values than parameters, or no memory.
    public func bind(_ values: [any StoredValue]) throws(SQLiteError) {
        sqlite3_reset(handle)
        for (offset, value) in values.enumerated() {
            try check(bind(value.stored, at: Int32(offset + 1)))
        }
    }

    /// Binds one integer to a parameter, counted from 1, without building a list of values.
    ///
    /// Call it between the last step of one row and the first of the next.
    /// - Throws: `SQLiteError` if there is no such parameter, or no memory.
    public func bind(_ index: Int, _ number: Int64?) throws(SQLiteError) {
        let index = Int32(index)
        try check(number.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    /// Binds a text by its bytes, which are UTF-8, as above.
    /// - Throws: As above.
    public func bind(_ index: Int, text: Span<UInt8>) throws(SQLiteError) {
        guard !text.isEmpty else { return try bind(index, constant: "") }
        let code = text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                nb_sqlite3_bind_text(handle, Int32(index), $0.baseAddress, Int32($0.count))
            }
        }
        try check(code)
    }

    /// Binds a text of the program, as above, without a copy.
    /// - Throws: As above.
    public func bind(_ index: Int, constant text: StaticString) throws(SQLiteError) {
        let code = text.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // Without a destructor, SQLite takes the text for one that stays where it is.
                sqlite3_bind_text(handle, Int32(index), $0.baseAddress, Int32($0.count), nil)
            }
        }
        try check(code)
    }

    /// Steps to the next row.
    /// - Returns: True if there is a row. After the last row, the statement is reset.
    /// - Throws: `SQLiteError`; the statement is then reset.
    public func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = failure()
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
        return false
    }

    /// Runs a statement that returns no rows.
    /// - Throws: `SQLiteError`.
    public func run(_ values: any StoredValue...) throws(SQLiteError) {
        try run(with: values)
    }

    /// Runs a statement that returns no rows, with a list of values.
    /// - Throws: `SQLiteError`.
    public func run(with values: [any StoredValue]) throws(SQLiteError) {
        try bind(values)
        while try step() {}
    }

    /// Returns all rows, each converted by `row`, which reads this statement's columns.
    /// - Throws: `SQLiteError`.
    public func rows<Row>(_ values: any StoredValue..., row: (Statement) -> Row) throws(SQLiteError) -> [Row]
    {
        try rows(with: values, row: row)
    }

    /// Returns all rows for a list of values, as above.
    /// - Throws: `SQLiteError`.
    public func rows<Row>(with values: [any StoredValue], row: (Statement) -> Row) throws(SQLiteError)
        -> [Row]
    {
        try bind(values)
        var rows: [Row] = []
        while try step() { rows.append(row(self)) }
        return rows
    }

    /// Returns the pairs that `row` makes of all rows; of equal keys, the last one holds.
    /// - Throws: `SQLiteError`.
    public func dictionary<Key, Content>(
        _ values: any StoredValue...,
        row: (Statement) -> (Key, Content)
    ) throws(SQLiteError) -> [Key: Content] {
        Dictionary(try rows(with: values, row: row)) { $1 }
    }

    /// Returns the first row converted by `row`; nil if there is none.
    /// - Throws: `SQLiteError`.
    public func first<Row>(_ values: any StoredValue..., row: (Statement) -> Row) throws(SQLiteError) -> Row?
    {
        try bind(values)
        defer { sqlite3_reset(handle) }
        return try step() ? row(self) : nil
    }

    /// Stops reading rows before the last.
    ///
    /// A statement that is not reset keeps its lock.
    public func reset() {
        sqlite3_reset(handle)
    }

    /// Returns the first row of a statement with one column; nil if there is no row, or NULL in it.
    /// - Throws: `SQLiteError`.
    public func scalar<Scalar: ColumnValue>(_ values: any StoredValue...) throws(SQLiteError) -> Scalar? {
        try bind(values)
        defer { sqlite3_reset(handle) }
        return try step() ? Scalar?(onlyCell) : nil
    }

    /// Returns all rows of a statement with one column.
    /// - Throws: `SQLiteError`.
    public func scalars<Scalar: ColumnValue>(_ values: any StoredValue...) throws(SQLiteError) -> [Scalar] {
        try bind(values)
        var scalars: [Scalar] = []
        while try step() { scalars.append(Scalar(onlyCell)) }
        return scalars
    }

    /// The value in the column `name` of the row.
    ///
    /// NULL is nil if the type is optional, and else 0, false or empty. The statement must have such a column.
    @inlinable
    public subscript<Column: ColumnValue>(name: StaticString) -> Column {
        Column(cell(name))
    }

    @usableFromInline
    func cell(_ name: StaticString) -> Cell {
        if next < literals.count, literals[next] == name.utf8Start { return cell(next) }
        if let column = literals.firstIndex(of: name.utf8Start) { return cell(column) }
        guard let column = columnNames.firstIndex(of: "\(name)") else {
            preconditionFailure("no column \(name) in \(sql)")
        }
        literals[column] = name.utf8Start
        return cell(column)
    }

    private func cell(_ column: Int) -> Cell {
        next = column + 1
        return Cell(statement: handle, column: Int32(column))
    }

    private var onlyCell: Cell {
        precondition(columnNames.count == 1, "not one column in \(sql)")
        return Cell(statement: handle, column: 0)
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(let text): return bind(text, at: index)
        case .blob(let data):
            return data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return nb_sqlite3_bind_blob(handle, index, start, Int32(bytes.count))
            }
        }
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            // A nil base address would bind NULL for an empty text.
            utf8.withMemoryRebound(to: CChar.self) {
                nb_sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    private var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> SQLiteError {
        connection.failure(sql)
    }
}
