/// Where items come from, and what they have in common.
public struct Source: Sendable {
    /// Where the items come from.
    public let kind: Kind
    /// For items that have no priority of their own.
    public var priority = ItemPriority.normal
    /// Of every item, as written: variables are expanded when an item is loaded.
    public var headers: [String: String] = [:]
    /// Path variables of every item.
    public var variables: [String: String] = [:]
    /// Applied after the manifest's, before an output's.
    public var processors: [Step] = []

    /// Where items come from.
    public enum Kind: Sendable {
        /// The manifest itself.
        case urls([ItemEntry])
        /// A file of rows.
        case list(ItemList)
        /// The files that a pattern fits.
        case files(Glob)
    }
}

/// An item as a manifest or a row of JSON has it; what is nil or not there is the source's.
public struct ItemEntry: Sendable, Equatable {
    /// As written, variables not expanded.
    public var url: String
    /// What its owner calls it.
    public var id: String?
    /// Its own priority.
    public var priority: ItemPriority?
    /// Its own headers, as written.
    public var headers: [String: String] = [:]
    /// Its own path variables.
    public var variables: [String: String] = [:]
}

/// A file with an item a line or row.
public struct ItemList: Sendable, Equatable {
    /// As the manifest has it, `-` for standard input; rows are named after it.
    public let name: String
    /// Absolute; nil for standard input.
    public let path: String?
    /// How the file is read.
    public let format: Format
    /// Whether it is gzip.
    public let isCompressed: Bool
    /// Of CSV and TSV: what the columns are called.
    public let columns: Columns

    /// How a list is read.
    public enum Format: String, Sendable, CaseIterable {
        /// A URL a line.
        case txt
        /// A header row and a row an item, separated by commas or tabs (RFC 4180).
        case csv, tsv
        /// A JSON string or object a line.
        case jsonl
    }

    /// What the columns with a meaning are called; all others are path variables.
    public struct Columns: Sendable, Equatable {
        /// Always there.
        public var url = "url"
        /// Used where it is there.
        public var id = "id", priority = "priority"
        /// The names that the manifest gives, which must be there.
        var required: Set<String> = []
    }
}
