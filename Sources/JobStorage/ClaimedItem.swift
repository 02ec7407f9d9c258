import SQLite

/// An item that the run holds until it records what became of it.
public struct ClaimedItem: Sendable {
    /// The row's id.
    public let itemID: Int64
    /// The place in the manifest, over all sources.
    public let ordinal: Int
    /// The URL as given.
    public let url: String
    /// Its own headers as written, as JSON.
    public let headersJSON: String?
    /// The id that the manifest gives it.
    public let id: String?
    /// Its host, for `claim(limit:perHost:room:now:)`.
    public let hostID: Int64
    /// Which of the manifest's sources lists it, from 0.
    public let source: Int
    /// From 0 (very low) to 4 (very high).
    public let priority: Int
    /// Columns and variables for its paths, as JSON.
    public let varsJSON: String?
    /// Where it is listed, for messages.
    public let location: String
    /// The text that changes when the original does.
    public let validator: String?
    /// How often it got a new set of attempts.
    public let generation: Int
    /// The attempts of this generation, the present one counted.
    public let attempts: Int
    /// How often the process died of it.
    public let crashes: Int
    /// Whether its original was durable in the cache when it was claimed.
    public let isFetched: Bool
    /// Where the cache has its original, if it was ever loaded.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal, if it was ever loaded.
    public let originalSHA256: String?
    /// What was found out about that original, as a JSON object.
    public let facts: String?
    /// What earlier runs made of it, whatever the manifest asked for then.
    public internal(set) var outputs: [OutputResult] = []

    static let columns = """
        item_id, ordinal, url, headers_json, id, host_id, source, priority, vars_json, location, validator, \
        generation, attempts, crashes, state = 'fetched', cache_key, original_sha256, facts
        """

    /// Reads `columns` of an item that was claimed just now.
    init(_ row: Statement) {
        itemID = row.integer(0)
        ordinal = Int(row.integer(1))
        url = row.text(2)
        headersJSON = row.optionalText(3)
        id = row.optionalText(4)
        hostID = row.integer(5)
        source = Int(row.integer(6))
        priority = Int(row.integer(7))
        varsJSON = row.optionalText(8)
        location = row.text(9)
        validator = row.optionalText(10)
        generation = Int(row.integer(11))
        isFetched = row.integer(14) == 1
        attempts = Int(row.integer(12)) + (isFetched ? 0 : 1)
        crashes = Int(row.integer(13))
        cacheKey = row.optionalText(15)
        originalSHA256 = row.optionalText(16)
        facts = row.optionalText(17)
    }
}
