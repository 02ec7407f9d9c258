import JobManifest
package import JobStorage

/// A column of a Parquet file that is written.
package struct ParquetColumn: Sendable, Equatable {
    /// A type of values, by its name for the program.
    package enum Kind: String, Sendable {
        /// Text.
        case string
        /// A whole number of 64 bits.
        case integer = "int64"
        /// True or false.
        case boolean = "bool"
        /// A floating-point number of 64 bits.
        case double
        /// A time in milliseconds, UTC.
        case timestamp
        /// The bytes of an image and its path, as Hugging Face's `Image` has them.
        case image
    }

    /// The name.
    package let name: String
    /// The type of its values.
    package let kind: Kind

    /// Creates a column, of text unless it says otherwise.
    package init(_ name: String, _ kind: Kind = .string) {
        (self.name, self.kind) = (name, kind)
    }

    /// The column of a list in an index or a shard.
    package init(_ column: ListColumn) {
        let kind: Kind =
            switch column.kind {
            case .text: .string
            case .boolean: .boolean
            case .integer: .integer
            case .real: .double
            }
        self.init(Manifest.listColumnPrefix + column.name, kind)
    }

    /// The columns as the program reads them: a JSON array of `[name, type]`.
    static func schema(_ columns: [ParquetColumn]) -> String {
        CanonicalJSON.array(columns.map { .array([.string($0.name), .string($0.kind.rawValue)]) }).text
    }
}
