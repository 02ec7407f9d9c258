public import Foundation

/// A value that SQLite can store.
public enum Value: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral
{
    /// No value.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A double.
    case real(Double)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob(Data)

    /// NULL.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// An integer.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    /// A text.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// The value as SQLite stores it.
    public init(_ value: some StoredValue) {
        self = value.stored
    }
}

/// A type whose values SQLite can store; nil is NULL.
public protocol StoredValue: Sendable {
    /// The value as SQLite stores it.
    var stored: Value { get }
}

extension Value: StoredValue {
    /// The value itself.
    public var stored: Value { self }
}

extension Int64: StoredValue {
    /// An integer.
    public var stored: Value { .integer(self) }
}

extension Int: StoredValue {
    /// An integer.
    public var stored: Value { .integer(Int64(self)) }
}

extension Double: StoredValue {
    /// A double.
    public var stored: Value { .real(self) }
}

extension String: StoredValue {
    /// A text.
    public var stored: Value { .text(self) }
}

extension Data: StoredValue {
    /// Bytes.
    public var stored: Value { .blob(self) }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    /// The value; NULL for nil.
    public var stored: Value { self?.stored ?? .null }
}
