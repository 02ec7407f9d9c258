import CSQLite
public import Foundation

/// A type that a column can be read as.
public protocol ColumnValue {
    /// Reads one column of a row.
    init(_ cell: Cell)
}

/// One column of the row to which a statement has stepped.
public struct Cell {
    let statement: OpaquePointer
    let column: Int32

    /// A type of values in SQLite ("Datatypes In SQLite", "Storage Classes and Datatypes").
    public enum Kind: Int32, Sendable {
        /// A whole number of 64 bits.
        case integer = 1
        /// A floating-point number of 64 bits.
        case real = 2
        /// A text.
        case text = 3
        /// Bytes.
        case blob = 4
        /// No value.
        case null = 5
    }

    /// The type of the value, which reading it as another one may change.
    public var kind: Kind { Kind(rawValue: sqlite3_column_type(statement, column)) ?? .null }

    /// True for NULL.
    public var isNull: Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// The number of bytes of a text or blob, without building it.
    public var byteCount: Int { Int(sqlite3_column_bytes(statement, column)) }

    /// The text, empty for NULL; nil if the bytes are not UTF-8.
    public var validText: String? { utf8.map { String(validating: $0, as: UTF8.self) } ?? "" }

    // SQLite counts the bytes of a text once it has made it.
    fileprivate var utf8: UnsafeBufferPointer<UInt8>? {
        sqlite3_column_text(statement, column).map { UnsafeBufferPointer(start: $0, count: byteCount) }
    }

    fileprivate var integer: Int64 { sqlite3_column_int64(statement, column) }
}

extension Int64: ColumnValue {
    /// The integer; 0 for NULL.
    public init(_ cell: Cell) { self = cell.integer }
}

extension Int: ColumnValue {
    /// The integer; 0 for NULL.
    public init(_ cell: Cell) { self = Int(cell.integer) }
}

extension Bool: ColumnValue {
    /// False for 0 and for NULL.
    public init(_ cell: Cell) { self = cell.integer != 0 }
}

extension Double: ColumnValue {
    /// The number; 0 for NULL.
    public init(_ cell: Cell) { self = sqlite3_column_double(cell.statement, cell.column) }
}

extension String: ColumnValue {
    /// The text; empty for NULL.
    public init(_ cell: Cell) { self = cell.utf8.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension Data: ColumnValue {
    /// The bytes; empty for NULL.
    public init(_ cell: Cell) {
        let bytes = sqlite3_column_blob(cell.statement, cell.column)
        self = bytes.map { Data(bytes: $0, count: cell.byteCount) } ?? Data()
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    /// The value; nil for NULL.
    @inlinable
    public init(_ cell: Cell) { self = cell.isNull ? nil : Wrapped(cell) }
}
