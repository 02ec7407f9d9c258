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

    /// The integer, or NULL.
    public init(_ value: Int64?) {
        self = value.map(Value.integer) ?? .null
    }

    /// The integer, or NULL.
    public init(_ value: Int?) {
        self = value.map { .integer(Int64($0)) } ?? .null
    }

    /// The number, or NULL.
    public init(_ value: Double?) {
        self = value.map(Value.real) ?? .null
    }

    /// The text, or NULL.
    public init(_ value: String?) {
        self = value.map(Value.text) ?? .null
    }
}
