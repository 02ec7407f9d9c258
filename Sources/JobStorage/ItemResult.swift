import SQLite

/// What became of an item in the end, with everything that goes into its one transaction.
public struct ItemResult: Sendable {
    /// How an item ends.
    public enum Outcome: Hashable, Sendable {
        /// All that was asked for exists.
        case done
        /// Nothing of it had to be made; a word why, if there is one.
        case skipped(reason: String?)
        /// It cannot be made: the error's name and a sentence.
        case failed(error: String, message: String)
        /// It ended the process too often: the error's name and a sentence.
        case quarantined(error: String, message: String)
    }

    /// How it ended.
    public var outcome: Outcome
    /// Where the cache has its original; nil leaves what is known.
    public var cacheKey: String?
    /// SHA-256 of its original in hexadecimal; nil leaves what is known.
    ///
    /// A `done` item must have one by now.
    public var originalSHA256: String?
    /// What is known about that original, as a JSON object with a key a fact; nil leaves what is known of the same one.
    public var facts: String?
    /// The outputs that this run looked at; those that it did not keep their rows.
    public var outputs: [OutputResult]
    /// The attempt that led here.
    public var attempt: AttemptResult?

    /// Describes an end.
    public init(
        _ outcome: Outcome,
        cacheKey: String? = nil,
        originalSHA256: String? = nil,
        facts: String? = nil,
        outputs: [OutputResult] = [],
        attempt: AttemptResult? = nil
    ) {
        self.outcome = outcome
        self.cacheKey = cacheKey
        self.originalSHA256 = originalSHA256
        self.facts = facts
        self.outputs = outputs
        self.attempt = attempt
    }
}

/// What became of one output of an item.
public struct OutputResult: Hashable, Sendable {
    /// How an output ends.
    public enum State: String, Sendable {
        /// Its file is durable.
        case done
        /// It was not to be made.
        case skipped
        /// It cannot be made.
        case failed
    }

    /// The reason of an output that was skipped as a file was in its place.
    public static let exists = "exists"

    /// The output's name in the manifest.
    public var name: String
    /// What shapes its bytes besides the original, as in `OutputRecipe`.
    public var recipe: String
    /// How it ended.
    public var state: State
    /// Why it was skipped or failed.
    public var reason: String?
    /// Its path relative to the destination; a `done` output has one.
    public var path: String?
    /// A hash of the original's bytes and the recipe: equal ones have equal bytes.
    public var spec: String?
    /// The file's length; a `done` output has one.
    public var bytes: Int?
    /// SHA-256 of the file in hexadecimal; a `done` output has one.
    public var sha256: String?
    /// The width in pixels.
    public var width: Int?
    /// The height in pixels.
    public var height: Int?
    /// The encoder with its version.
    public var encoder: String?
    /// Where its bytes begin in the shard that holds them; nil for a file of its own.
    public var shardOffset: Int?

    /// Describes an output; what is not known may be left out.
    public init(
        name: String,
        recipe: String,
        state: State,
        reason: String? = nil,
        path: String? = nil,
        spec: String? = nil,
        bytes: Int? = nil,
        sha256: String? = nil,
        width: Int? = nil,
        height: Int? = nil,
        encoder: String? = nil,
        shardOffset: Int? = nil
    ) {
        self.name = name
        self.recipe = recipe
        self.state = state
        self.reason = reason
        self.path = path
        self.spec = spec
        self.bytes = bytes
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.encoder = encoder
        self.shardOffset = shardOffset
    }

    /// The columns of `output o JOIN recipe r` that `init(_:)` reads.
    static let columns = "\(columnsOfAll), o.shard_offset"
    /// The same for states of earlier releases, which have no shards.
    static let earlierColumns = "\(columnsOfAll), NULL"
    static let columnCount = 12
    private static let columnsOfAll = """
        o.name, r.recipe, o.state, o.reason, o.path, o.spec_sha256, o.bytes, o.sha256, o.width, o.height, o.encoder
        """

    init(_ row: Statement) {
        name = row.text(0)
        recipe = row.text(1)
        state = State(rawValue: row.text(2)) ?? .failed
        reason = row.optionalText(3)
        path = row.optionalText(4)
        spec = row.optionalText(5)
        bytes = row.optionalInteger(6).map { Int($0) }
        sha256 = row.optionalText(7)
        width = row.optionalInteger(8).map { Int($0) }
        height = row.optionalInteger(9).map { Int($0) }
        encoder = row.optionalText(10)
        shardOffset = row.optionalInteger(11).map { Int($0) }
    }
}

/// One attempt at an item, for those who ask later why it took so long or failed.
public struct AttemptResult: Hashable, Sendable {
    /// When it began, in milliseconds since 1970.
    public var started: Int64
    /// How long it took, in milliseconds.
    public var milliseconds: Int
    /// A word for how it ended, such as `done`, `failed`, `retry` or `interrupted`.
    public var outcome: String
    /// The error's name.
    public var error: String?
    /// The code of the transfer library.
    public var code: Int?
    /// The HTTP status.
    public var http: Int?
    /// How many bytes were loaded.
    public var bytes: Int?
    /// The address that was connected to.
    public var peerIP: String?
    /// A sentence.
    public var detail: String?

    /// Describes an attempt; what is not known may be left out.
    public init(
        started: Int64,
        milliseconds: Int,
        outcome: String,
        error: String? = nil,
        code: Int? = nil,
        http: Int? = nil,
        bytes: Int? = nil,
        peerIP: String? = nil,
        detail: String? = nil
    ) {
        self.started = started
        self.milliseconds = milliseconds
        self.outcome = outcome
        self.error = error
        self.code = code
        self.http = http
        self.bytes = bytes
        self.peerIP = peerIP
        self.detail = detail
    }
}
