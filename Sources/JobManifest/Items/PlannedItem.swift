/// An item of a manifest as its row describes it, before anything is loaded.
public struct PlannedItem: Sendable {
    /// The position in the manifest, over all sources, from 1.
    public let index: Int
    /// The stored URL: the row's, with invalid characters percent-encoded and a bare path made a `file:` URL.
    ///
    /// Variables of the environment are not expanded (`Manifest.target(of:)` does that).
    public let url: String
    /// The URL to load; equal to `url` if that contains no variables.
    public let target: String
    /// The item's id in the row, if it has one.
    public let id: String?
    /// Its own and its source's headers as written, in the manifest's notation for variables.
    public let headers: [String: String]
    /// The priority among waiting items.
    public let priority: ItemPriority
    /// Path variables: the texts of columns and `vars`.
    public let variables: [String: String]
    /// The columns that are no texts, as JSON: numbers, booleans, nulls, lists and objects.
    public let typedColumns: [String: String]
    /// The index of its source in the manifest, from 0.
    public let source: Int
    /// The problem for which the item fails in planning; nil for a good row.
    public let problem: ItemProblem?
    /// The size and time of a glob's file, or the size and entity tag of a listed object, to detect changes.
    public let validator: String?
    /// The URL of the folder that `{dir}` starts from if the item is below it; only of globs, and of lists with one.
    public let base: String?
    package let position: Position

    /// Creates an item from its parts; those that it may lack can be left out.
    package init(
        index: Int,
        url: String,
        target: String,
        id: String?,
        headers: [String: String] = [:],
        priority: ItemPriority = .normal,
        variables: [String: String],
        typedColumns: [String: String] = [:],
        source: Int,
        problem: ItemProblem? = nil,
        validator: String? = nil,
        base: String? = nil,
        position: Position
    ) {
        self.index = index
        self.url = url
        self.target = target
        self.id = id
        self.headers = headers
        self.priority = priority
        self.variables = variables
        self.typedColumns = typedColumns
        self.source = source
        self.problem = problem
        self.validator = validator
        self.base = base
        self.position = position
    }

    /// The position of the row: `urls.txt:12` or `sources[0].urls[3]`.
    public var location: String { position.description }

    /// A row's position, formatted only on demand.
    package enum Position: Sendable, CustomStringConvertible {
        case line(file: String, number: Int)
        case entry(source: Int, index: Int)
        case product(source: Int, index: Int)
        case file(String)

        package var description: String {
            switch self {
            // Not interpolated, because lists have millions of lines.
            case .line(let file, let number):
                var text = ""
                text.reserveCapacity(file.utf8.count + 20)
                text += file
                text += ":"
                text += String(number)
                return text
            case .entry(let source, let index): return "sources[\(source)].urls[\(index)]"
            case .product(let source, let index): return "sources[\(source)].template[\(index)]"
            case .file(let path): return path
            }
        }
    }

    /// The item's identity as canonical JSON: equal rows have equal text.
    public var identity: String {
        CanonicalJSON.object([
            "url": .string(url),
            "id": id.map(CanonicalJSON.string) ?? .null,
            "headers": .object(headers.mapValues(CanonicalJSON.string)),
        ]).text
    }

    /// A hash of the identity for tables in memory; it differs between processes.
    ///
    /// The URL and the id count by their bytes: an `é` of one character and one of two are two keys of a bucket, though strings of
    /// Swift are equal then.
    public var identityHash: UInt64 {
        var hasher = Hasher()
        func combine(_ text: String) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(text.utf8.count)
        }
        combine(url)
        if let id { combine(id) }
        hasher.combine(id == nil)
        hasher.combine(headers)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// The problem for which an item fails in planning; it is counted and recorded like any other failure.
public struct ItemProblem: Sendable, Equatable {
    /// The error's code.
    public let code: ErrorCode
    /// The problem and its remedy, one sentence.
    public let message: String

    /// Creates a problem from its parts.
    package init(code: ErrorCode, message: String) {
        self.code = code
        self.message = message
    }
}
