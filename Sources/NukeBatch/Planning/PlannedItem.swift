/// An item of a manifest as its row has it, before anything is loaded.
public struct PlannedItem: Sendable {
    /// The place in the manifest, over all sources, from 1.
    public let index: Int
    /// What is stored: the row's URL, with what no URL may hold percent-encoded and a bare path made a `file:` URL.
    ///
    /// Of the manifest's own text it is as written, variables not expanded (`Manifest.target(of:)` does that).
    public let url: String
    /// What is loaded; the same as `url` where there are no variables.
    public let target: String
    /// What its owner calls it.
    public let id: String?
    /// Its own and its source's headers as written, in the manifest's notation for variables.
    public let headers: [String: String]
    /// Which of the waiting items goes first.
    public let priority: ItemPriority
    /// Path variables: columns and `vars`.
    public let variables: [String: String]
    /// The place of its source in the manifest, from 0.
    public let source: Int
    /// Why it has failed before anything was loaded; nil for nearly all.
    public let problem: ItemProblem?
    /// What tells whether a file of a glob has changed: its size and time.
    public let validator: String?
    /// Of a glob's file: the `file:` URL of the folder that `{dir}` starts from.
    public let base: String?
    let place: Place

    /// Where the row is: `urls.txt:12` or `sources[0].urls[3]`.
    public var location: String { place.description }

    /// A row's place, put into words only when it is asked for.
    enum Place: Sendable, CustomStringConvertible {
        case line(file: String, number: Int)
        case entry(source: Int, index: Int)
        case product(source: Int, index: Int)
        case file(String)

        var description: String {
            switch self {
            // Not interpolated: lists have millions of lines.
            case .line(let file, let number): file + ":" + String(number)
            case .entry(let source, let index): "sources[\(source)].urls[\(index)]"
            case .product(let source, let index): "sources[\(source)].template[\(index)]"
            case .file(let path): path
            }
        }
    }

    /// Everything that makes this item another than its neighbours, as canonical JSON: equal rows have equal text.
    public var identity: String {
        CanonicalJSON.object([
            "url": .string(url),
            "id": id.map(CanonicalJSON.string) ?? .null,
            "headers": .object(headers.mapValues(CanonicalJSON.string)),
        ]).text
    }

    /// A hash of what `identity` tells, for tables in memory: it is another one in every process.
    public var identityHash: UInt64 {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(id)
        hasher.combine(headers)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// Why an item fails in planning; it is counted and recorded like every other.
public struct ItemProblem: Sendable, Equatable {
    /// The word of the contract for it.
    public let code: Code
    /// What is wrong and the remedy, one sentence.
    public let message: String

    /// The words of the contract that planning uses.
    public enum Code: String, Sendable {
        /// The row has no URL that could be loaded, or is no row at all.
        case badURL = "bad_url"
        /// The URL's scheme is not one of `network.schemes`.
        case scheme
    }
}
