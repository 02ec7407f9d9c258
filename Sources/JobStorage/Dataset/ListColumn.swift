/// A column of the lists, or a variable, with what its values are in all items.
public struct ListColumn: Sendable, Equatable {
    /// The types of values that a column has, nulls aside.
    public struct Contents: OptionSet, Sendable, Hashable {
        /// The sum of the types.
        public let rawValue: Int

        /// Creates a set from the sum of its types.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Texts, lists and objects.
        public static let texts = Contents(rawValue: 1)
        /// `true` and `false`.
        public static let booleans = Contents(rawValue: 2)
        /// Whole numbers of 64 bits.
        public static let integers = Contents(rawValue: 4)
        /// Those of them that a floating-point number of 64 bits may round: beyond 2^53.
        public static let longIntegers = Contents(rawValue: 8)
        /// Other numbers of 64 bits.
        public static let reals = Contents(rawValue: 16)
        /// Numbers beyond 64 bits.
        public static let hugeNumbers = Contents(rawValue: 32)
    }

    /// The one type in which all values of a column can be told.
    public enum Kind: Sendable {
        /// Text, which numbers have as they are written, and lists and objects as JSON.
        case text
        /// A value of the type.
        case boolean, integer, real
    }

    /// The name.
    public let name: String
    /// The types of its values.
    public let contents: Contents

    /// Creates a column.
    public init(_ name: String, _ contents: Contents) {
        (self.name, self.contents) = (name, contents)
    }

    /// The type in which nothing of a value is lost; text without values.
    public var kind: Kind {
        if contents == .booleans { return .boolean }
        if contents.isEmpty || !contents.isDisjoint(with: [.texts, .booleans, .hugeNumbers]) { return .text }
        if !contents.contains(.reals) { return .integer }
        return contents.contains(.longIntegers) ? .text : .real
    }
}
