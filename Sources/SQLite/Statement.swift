import CSQLite
public import Foundation

/// A prepared statement of one connection, confined to where its connection is.
public final class Statement {
    private let handle: OpaquePointer
    // The connection keeps its statements; a strong reference back would keep both for ever.
    private unowned let connection: Connection

    /// Whether more than space follows the statement in the text that it was made of.
    private let isFollowed: Bool

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
            throw SQLiteError(code: SQLITE_MISUSE, message: "it holds no statement", path: "", statement: sql)
        }
        self.handle = handle
        self.connection = connection
        self.isFollowed = isFollowed
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

    /// Gives one parameter, from 1, its value, without the detour over a list of all; to be called between a row's last
    /// step and the first of the next.
    /// - Throws: `SQLiteError` if there is no such parameter, or no memory.
    public func bind(_ index: Int, _ text: String?) throws(SQLiteError) {
        let code =
            if let text { bind(text, at: Int32(index)) } else { sqlite3_bind_null(handle, Int32(index)) }
        guard code == SQLITE_OK else { throw failure() }
    }

    /// As above, with an integer.
    /// - Throws: as above.
    public func bind(_ index: Int, _ number: Int64?) throws(SQLiteError) {
        let code =
            if let number {
                sqlite3_bind_int64(handle, Int32(index), number)
            } else {
                sqlite3_bind_null(handle, Int32(index))
            }
        guard code == SQLITE_OK else { throw failure() }
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

    /// The text in `column` of the row, empty for NULL; nil where the bytes are not UTF-8.
    public func validText(_ column: Int) -> String? {
        guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// What the columns of the answer are called, in order.
    public var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { column in
            sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
        }
    }

    /// Why it is no question that somebody else may ask; nil if it is one.
    var problemAsQuery: String? {
        if isFollowed { return "it holds more than one statement" }
        if sqlite3_column_count(handle) == 0 { return "it answers with no columns: write a SELECT" }
        if sqlite3_stmt_readonly(handle) == 0 { return "it would write: write a SELECT" }
        if sqlite3_bind_parameter_count(handle) > 0 { return "it has parameters, which nothing fills" }
        return nil
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
            // A nil base address would bind NULL where the text is empty.
            utf8.withMemoryRebound(to: CChar.self) {
                nb_sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    private func failure() -> SQLiteError {
        connection.failure(sqlite3_sql(handle).map { String(cString: $0) })
    }
}
