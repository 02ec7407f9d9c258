import SQLite

/// A manifest that was planned.
public struct Revision: Hashable, Sendable {
    /// The row's id.
    public let revisionID: Int64
    /// SHA-256 of the manifest in hexadecimal.
    public let manifestSHA256: String
    /// The manifest as written.
    public let manifestJSON: String
    /// The fingerprints of its lists.
    public let lists: String
    /// How many different items it lists.
    public let items: Int
    /// How many of its rows repeat another one.
    public let duplicates: Int
    /// When it was planned, in milliseconds since 1970.
    public let planned: Int64
}

/// A run of the job.
public struct RunRecord: Hashable, Sendable {
    /// The row's id, from 1.
    public let runID: Int64
    /// The version of the program.
    public let version: String
    /// The id of its process.
    public let processID: Int32
    /// The machine's name.
    public let host: String
    /// When it began, in milliseconds since 1970.
    public let started: Int64
    /// When it ended, nil while it is going on; of a run that died, when that was noticed.
    public var ended: Int64?
    /// Its exit code, nil if it never said.
    public var exit: Int?
    /// What it counted, as it gave it to `endRun`.
    public var countersJSON: String?
}

extension RunRecord {
    init(_ run: RunRecord, runID: Int64) {
        self.init(
            runID: runID,
            version: run.version,
            processID: run.processID,
            host: run.host,
            started: run.started
        )
    }
}

/// What politeness has learned about a host.
public struct HostRecord: Hashable, Sendable {
    /// The row's id, as in `ClaimedItem.hostID`; 0 for one that was not stored yet.
    public var hostID: Int64
    /// Lower case, with the port where it is not the scheme's; empty for files and `data:`.
    public var name: String
    /// Requests a second, nil where nothing was learned.
    public var rate: Double?
    /// Requests at once, nil where nothing was learned.
    public var concurrency: Int?
    /// No request before this time, in milliseconds since 1970.
    public var notBefore: Int64
    /// Failures in a row.
    public var failStreak: Int
    /// The state of its circuit breaker, in the runner's words.
    public var breaker: String?

    /// Describes a host by its name.
    public init(
        name: String,
        rate: Double? = nil,
        concurrency: Int? = nil,
        notBefore: Int64 = 0,
        failStreak: Int = 0,
        breaker: String? = nil
    ) {
        hostID = 0
        self.name = name
        self.rate = rate
        self.concurrency = concurrency
        self.notBefore = notBefore
        self.failStreak = failStreak
        self.breaker = breaker
    }
}

/// How many listed items are in which state.
public struct JobCounts: Hashable, Sendable {
    private var counts: [ItemState: Int]

    /// All items that the revision in force lists.
    public var total: Int {
        counts.values.reduce(0, +)
    }

    /// Those that a run has something to do with.
    public var unfinished: Int {
        counts.filter { !$0.key.isFinished }.values.reduce(0, +)
    }

    /// Those in `state`.
    public subscript(state: ItemState) -> Int {
        counts[state] ?? 0
    }

    init(_ counts: [ItemState: Int] = [:]) {
        self.counts = counts
    }
}

/// An item as `items` lists it.
public struct ItemRecord: Sendable {
    /// The row's id.
    public let itemID: Int64
    /// The place in the manifest, over all sources.
    public let ordinal: Int
    /// The id that the manifest gives it.
    public let id: String?
    /// The URL as given.
    public let url: String
    /// Where it stands.
    public let state: ItemState
    /// From 0 (very low) to 4 (very high).
    public let priority: Int
    /// The attempts since it last got a new set of them.
    public let attempts: Int
    /// The error's name.
    public let error: String?
    /// A sentence about it.
    public let message: String?
    /// Where it is listed.
    public let location: String
    /// Where the cache has its original.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal.
    public let originalSHA256: String?
    /// What was found out about that original, as a JSON object with a key a fact.
    public let facts: String?
    /// Which of the manifest's sources lists it, from 0.
    public let source: Int
    /// How often it got a new set of attempts.
    public let generation: Int
    /// Columns and variables of its row, as a JSON object.
    public let varsJSON: String?
    /// Before when it is not tried again, in milliseconds since 1970; 0 where it does not wait.
    public let notBefore: Int64
    /// When it changed last, in milliseconds since 1970.
    public let updated: Int64
    /// The outputs that the manifest asks for, as far as they were made, by name.
    public internal(set) var outputs: [OutputResult] = []
    /// Its newest attempt, where it was asked for.
    public internal(set) var lastAttempt: AttemptRecord?

    static let columns = """
        item_id, ordinal, id, url, state, priority, attempts, error, message, location, cache_key, \
        original_sha256, source, facts, generation, not_before_ms, updated_ms, vars_json
        """
    static let columnCount = 18

    init(_ row: Statement) {
        itemID = row.integer(0)
        ordinal = Int(row.integer(1))
        id = row.optionalText(2)
        url = row.text(3)
        state = ItemState(rawValue: row.text(4)) ?? .pending
        priority = Int(row.integer(5))
        attempts = Int(row.integer(6))
        error = row.optionalText(7)
        message = row.optionalText(8)
        location = row.text(9)
        cacheKey = row.optionalText(10)
        originalSHA256 = row.optionalText(11)
        source = Int(row.integer(12))
        facts = row.optionalText(13)
        generation = Int(row.integer(14))
        notBefore = row.integer(15)
        updated = row.integer(16)
        varsJSON = row.optionalText(17)
    }
}
