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
    /// The absolute folder that its relative paths start from: that of the manifest that it stands in.
    let folder: String

    /// Where items come from.
    public enum Kind: Sendable {
        /// The manifest itself.
        case urls([ItemEntry])
        /// A file of rows.
        case list(ItemList)
        /// The files that a pattern fits.
        case files(Glob)
        /// The product of a template's variables.
        case template(URLTemplate)
        /// The images that a sitemap names.
        case sitemap(Sitemap)
        /// The rows that a query answers with.
        case sqlite(DatabaseQuery)
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

/// A sitemap (https://www.sitemaps.org/protocol.html), or an index of them.
public struct Sitemap: Sendable, Equatable {
    /// Its URL or path as the manifest has it, before its variables are expanded.
    public let written: String
    /// What is loaded: a URL, of a path a `file:` URL.
    let url: String

    /// What errors and locations call it: without its query, which may hold a secret.
    var label: String { Self.label(of: written) }

    static func label(of url: String) -> String {
        String(url.prefix { $0 != "?" })
    }
}

/// A question to an SQLite database, each row of whose answer is an item.
public struct DatabaseQuery: Sendable, Equatable {
    /// The file as the manifest has it; rows are named after it.
    public let name: String
    /// Absolute.
    public let path: String
    /// One `SELECT`.
    public let query: String
    /// What the columns are called.
    public let columns: ItemList.Columns
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
