import SQLite

/// An item as `items` lists it.
public struct ItemRecord: Sendable {
    /// The row's ID.
    public let itemID: Int64
    /// The position in the manifest, over all sources.
    public let ordinal: Int
    /// The ID that the manifest gives it.
    public let id: String?
    /// The URL as given.
    public let url: String
    /// The state.
    public let state: ItemState
    /// The priority, from 0 (very low) to 4 (very high).
    public let priority: Int
    /// The attempts of this generation.
    public let attempts: Int
    /// The error's name.
    public let error: String?
    /// One sentence about it.
    public let message: String?
    /// The list and line that name it.
    public let location: String
    /// The key of its original in the cache.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal, or `AdoptedItem.unknownOriginal`.
    public let originalSHA256: String?
    /// SHA-256 of its original in hexadecimal; nil if nobody has loaded it.
    public var knownOriginalSHA256: String? {
        originalSHA256 == AdoptedItem.unknownOriginal ? nil : originalSHA256
    }
    /// Facts about that original, as a JSON object by name.
    public let facts: String?
    /// The manifest's source that lists it, from 0.
    public let source: Int
    /// The number of times that it got a new set of attempts.
    public let generation: Int
    /// The columns and variables of its row, as a JSON object.
    public let varsJSON: String?
    /// Its own header fields and version as written, as a JSON object.
    public let headersJSON: String?
    /// The time of its next attempt, in milliseconds since 1970; 0 if it does not wait for one.
    public let notBefore: Int64
    /// The time of its last change, in milliseconds since 1970.
    public let updated: Int64
    /// The recorded outputs that the manifest asks for, by name.
    public internal(set) var outputs: [OutputRecord] = []
    /// The earlier item that has the same original, of an item that was skipped for that.
    public internal(set) var twin: Twin?
    /// Its newest attempt, if that was requested.
    public internal(set) var lastAttempt: AttemptRecord?

    static let columns = """
        item_id, ordinal, id, url, state, priority, attempts, error, message, location, cache_key, \
        original_sha256, source, facts, generation, not_before_ms, updated_ms, vars_json, headers_json
        """

    init(_ row: Statement) {
        itemID = row["item_id"]
        ordinal = row["ordinal"]
        id = row["id"]
        url = row["url"]
        state = ItemState(rawValue: row["state"]) ?? .pending
        priority = row["priority"]
        attempts = row["attempts"]
        error = row["error"]
        message = row["message"]
        location = row["location"]
        cacheKey = row["cache_key"]
        originalSHA256 = row["original_sha256"]
        source = row["source"]
        facts = row["facts"]
        generation = row["generation"]
        notBefore = row["not_before_ms"]
        updated = row["updated_ms"]
        varsJSON = row["vars_json"]
        headersJSON = row["headers_json"]
    }
}
