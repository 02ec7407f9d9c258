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
    /// SHA-256 of its original in hexadecimal.
    public let originalSHA256: String?
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
    public internal(set) var outputs: [OutputResult] = []
    /// Its newest attempt, if that was requested.
    public internal(set) var lastAttempt: AttemptRecord?

    static let columns = """
        item_id, ordinal, id, url, state, priority, attempts, error, message, location, cache_key, \
        original_sha256, source, facts, generation, not_before_ms, updated_ms, vars_json, headers_json
        """
    static let columnCount = 19

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
        headersJSON = row.optionalText(18)
    }
}
