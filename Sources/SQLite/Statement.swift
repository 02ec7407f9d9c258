import CSQLite
public import Foundation

/// A prepared statement of one connection, confined to where its connection is.
public final class Statement {
    private let handle: OpaquePointer
    // The connection keeps its statements; a strong reference back would keep both for ever.
    private unowned let connection: Connection

    init(_ sql: String, connection: Connection) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &handle,
            nil
        )
        guard code == SQLITE_OK, let handle else { throw connection.failure(sql) }
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Gives the statement's parameters their values, in order, after a reset.
    /// - Throws: `SQLiteError` if there are more values than parameters, or no memory.
    public func bind(_ values: [Value]) throws(SQLiteError) {
        sqlite3_reset(handle)
        for (offset, value) in values.enumerated() {
            guard bind(value, at: Int32(offset + 1)) == SQLITE_OK else { throw failure() }
        }
    }

    /// Goes to the next row.
    /// - Returns: whether there is one; after the last the statement is reset.
    /// - Throws: `SQLiteError`; the statement is reset.
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

    /// Runs a statement that answers with no rows.
    /// - Throws: `SQLiteError`.
    public func run(_ values: Value...) throws(SQLiteError) {
        try bind(values)
        while try step() {}
    }

    /// The rows that the statement answers with, each made into a value by `row`, which reads this statement's columns.
    /// - Throws: `SQLiteError`.
    public func rows<Row>(_ values: Value..., row: (Statement) -> Row) throws(SQLiteError) -> [Row] {
        try bind(values)
        var rows: [Row] = []
        while try step() { rows.append(row(self)) }
        return rows
    }

    /// The first row made into a value, or nil without one.
    /// - Throws: `SQLiteError`.
    public func first<Row>(_ values: Value..., row: (Statement) -> Row) throws(SQLiteError) -> Row? {
        try bind(values)
        defer { sqlite3_reset(handle) }
        return try step() ? row(self) : nil
    }

    /// Ends the reading of rows before the last; a statement left in the middle would hold its lock.
    public func reset() {
        sqlite3_reset(handle)
    }

    /// The integer in `column` (from 0) of the row; 0 for NULL.
    public func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// The number in `column` of the row; 0 for NULL.
    public func real(_ column: Int) -> Double {
        sqlite3_column_double(handle, Int32(column))
    }

    /// The text in `column` of the row; empty for NULL.
    public func text(_ column: Int) -> String {
        guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The bytes in `column` of the row; empty for NULL.
    public func blob(_ column: Int) -> Data {
        guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    /// Whether `column` of the row is NULL.
    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// The integer in `column`, nil for NULL.
    public func optionalInteger(_ column: Int) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    /// The number in `column`, nil for NULL.
    public func optionalReal(_ column: Int) -> Double? {
        isNull(column) ? nil : real(column)
    }

    /// The text in `column`, nil for NULL.
    public func optionalText(_ column: Int) -> String? {
        isNull(column) ? nil : text(column)
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let number):
            return sqlite3_bind_int64(handle, index, number)
        case .real(let number):
            return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { utf8 in
                // A nil base address would bind NULL where the text is empty.
                utf8.withMemoryRebound(to: CChar.self) {
                    nb_sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .blob(let data):
            return data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return nb_sqlite3_bind_blob(handle, index, start, Int32(bytes.count))
            }
        }
    }

    private func failure() -> SQLiteError {
        connection.failure(sqlite3_sql(handle).map { String(cString: $0) })
    }
}
