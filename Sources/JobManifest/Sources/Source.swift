/// A source of items, with the settings that its items share.
public struct Source: Sendable {
    /// The kind of the source.
    public internal(set) var kind: Kind
    /// The priority of items that have none of their own.
    public var priority = SourceKeys.priority.standard
    /// The headers of every item as written; variables are expanded when an item is loaded.
    public var headers: [String: String] = [:]
    /// Path variables of every item.
    public var variables: [String: String] = [:]
    /// The processors that run after the manifest's and before an output's.
    public var processors: [Step] = []
    /// True if the source may lose all items that the last plan had of it.
    public var allowsEmpty = SourceKeys.allowEmpty.standard
    /// The folder that relative paths of its items start from: `base`, or that of a list in a bucket, or that of the
    /// manifest that it stands in; an absolute path, or `s3://bucket/prefix`.
    package let folder: String
    /// The URL of the folder that `{dir}` starts from: that of globs, in files or in a bucket, or `base`; nil for others.
    package let base: String?

    /// A kind of source.
    public enum Kind: Sendable {
        /// URLs in the manifest itself.
        case urls([ItemEntry])
        /// A file of rows.
        case list(ItemList)
        /// The files that globs match.
        case files(FileSelection)
        /// The objects of a bucket that globs match.
        case objects(ObjectSelection)
        /// The product of a template's variables.
        case template(URLTemplate)
        /// The images of a sitemap.
        case sitemap(Sitemap)
        /// The rows of a database query.
        case sqlite(DatabaseQuery)
    }
}

/// An item as a manifest or a line of JSON has it; the source's settings apply to everything it leaves out.
public struct ItemEntry: Sendable, Equatable {
    /// The URL as written, variables not expanded.
    public var url: String
    /// The item's id, if it has one.
    public var id: String?
    /// Its own priority.
    public var priority: ItemPriority?
    /// Its own headers, as written.
    public var headers: [String: String] = [:]
    /// Its own path variables.
    public var variables: [String: String] = [:]

    /// Creates an entry; the source's settings apply to what is left out.
    public init(
        url: String,
        id: String? = nil,
        priority: ItemPriority? = nil,
        headers: [String: String] = [:],
        variables: [String: String] = [:]
    ) {
        self.url = url
        self.id = id
        self.priority = priority
        self.headers = headers
        self.variables = variables
    }
}

/// A sitemap (https://www.sitemaps.org/protocol.html), or an index of them.
public struct Sitemap: Sendable, Equatable {
    /// Its URL or path as the manifest has it, before its variables are expanded.
    public let written: String
    /// The URL to load; for a path, a `file:` URL.
    package let url: String

    /// The name in errors and locations: without the URL's query, which may hold a secret.
    package var label: String { Self.label(of: written) }

    package static func label(of url: String) -> String {
        String(url.prefix { $0 != "?" })
    }
}

/// A query of an SQLite database, with an item a row.
public struct DatabaseQuery: Sendable, Equatable {
    /// The file as the manifest has it; rows are named after it.
    public let name: String
    /// The absolute path of the file.
    public let path: String
    /// One `SELECT`.
    public let query: String
    /// The names of the columns.
    public let columns: ItemList.Columns
}

/// A file with an item a line or row.
public struct ItemList: Sendable, Equatable {
    /// The name as the manifest has it, `-` for standard input; rows are named after it.
    public let name: String
    /// The absolute path; nil for standard input, and for a list in an object store.
    public let path: String?
    /// The pattern of a list in several files, which only Parquet has; nil for one file.
    public let glob: Glob?
    /// The pattern of a list in several objects, which only Parquet has; nil for one object.
    package let objects: ObjectSelection?
    /// The location of a list in an object store, `s3://bucket/key`; nil for others.
    public let location: String?
    /// The format of the file.
    public let format: Format
    /// True if the file is compressed with gzip.
    public let isCompressed: Bool
    /// The names of the columns of a table.
    public let columns: Columns
    /// True if the manifest names columns, which makes a table of a list in JSON Lines.
    package let hasColumns: Bool
    /// The byte between the fields of CSV and TSV; nil for the one that the header row shows.
    package let delimiter: UInt8?

    /// True for standard input.
    package var isStandardInput: Bool { path == nil && location == nil }

    /// A format of lists.
    public enum Format: String, Sendable, CaseIterable {
        /// A URL a line.
        case txt
        /// A header row and a row an item, with commas or tabs between fields, or what the header row shows (RFC 4180).
        case csv, tsv
        /// A JSON string or object a line; an object of columns if the manifest names some.
        case jsonl
        /// A row an item, in Apache Parquet.
        case parquet
    }

    /// The names of the columns with a meaning; all other columns are path variables.
    public struct Columns: Sendable, Equatable {
        /// The column of the URL, which must be there.
        public var url = ColumnKeys.url.standard
        /// A column that is used if it exists.
        public var id = ColumnKeys.id.standard, priority = ColumnKeys.priority.standard
        /// The names that the manifest gives, which must be there.
        package var required: Set<String> = []

        /// Creates the columns `url`, `id` and `priority`, or others in their places, which must be there.
        public init(url: String? = nil, id: String? = nil, priority: String? = nil) {
            self.url = url ?? self.url
            self.id = id ?? self.id
            self.priority = priority ?? self.priority
            required = Set([url, id, priority].compactMap(\.self))
        }
    }
}
