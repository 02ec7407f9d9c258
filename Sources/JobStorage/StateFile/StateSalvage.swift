import SQLite

/// The readable part of an item of a damaged state.
public struct SalvagedItem: Sendable {
    /// The values of columns that `item` does not have.
    let values: [Value]
    let item: NewItem
    /// The state: one of the finished states, or `pending`.
    public internal(set) var state: ItemState
    /// The key of its original in the cache.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal.
    public let originalSHA256: String?
    /// Its outputs and the times of their records, in milliseconds since 1970.
    public internal(set) var outputs: [(result: OutputRecord, time: Int64)]
}

/// Reads the items of a damaged state and skips what cannot be read.
struct StateSalvage {
    /// The number of rows that are read at once; rows near damage are read one by one.
    private static let range: Int64 = 256

    private let connection: Connection
    /// An upper bound of all item IDs: a row takes more than 32 bytes.
    private let last: Int64

    /// Opens the rest of the file; nil if nothing can be read.
    init?(path: String) {
        guard let connection = try? Connection(path: path, mode: .readOnly),
            let pages = try? connection.integer("PRAGMA page_count"),
            let size = try? connection.integer("PRAGMA page_size")
        else { return nil }
        self.connection = connection
        last = (try? connection.integer("SELECT max(item_id) FROM item")) ?? pages * size / 32
    }

    /// Calls `body` with each readable item whose key is correct.
    /// - Throws: what `body` throws.
    func forEach(_ body: (SalvagedItem) throws -> Void) rethrows {
        var first: Int64 = 1
        while first <= last {
            let end = first + Self.range - 1
            if let items = try? items(first, end) {
                for item in items { try body(item) }
            } else {
                for id in first...end {
                    for item in (try? items(id, id)) ?? [] { try body(item) }
                }
            }
            first = end + 1
        }
    }

    private func items(_ first: Int64, _ last: Int64) throws -> [SalvagedItem] {
        let found = try connection.statement(
            """
            SELECT item_id, item_key, ordinal, source, priority, state, url, headers_json, id, vars_json, location,
                validator, placement, cache_key, original_sha256, facts, error, message, attempts, updated_ms
            FROM item WHERE item_id BETWEEN ? AND ?
            """
        ).rows(.integer(first), .integer(last)) { row in
            (row["item_id"] as Int64, row["item_key"] as Int64, Self.item(row))
        }
        return found.compactMap { id, key, item in
            guard item.item.key == key else { return nil }
            var item = item
            item.outputs = (try? outputs(of: id)) ?? []
            return item
        }
    }

    private static func item(_ row: Statement) -> SalvagedItem {
        let item = NewItem(
            ordinal: row["ordinal"],
            url: row["url"],
            headersJSON: row["headers_json"],
            id: row["id"],
            host: "",
            priority: row["priority"],
            source: row["source"],
            varsJSON: row["vars_json"],
            location: row["location"],
            validator: row["validator"],
            placement: row["placement"]
        )
        let (cacheKey, originalSHA256): (String?, String?) = (row["cache_key"], row["original_sha256"])
        let state = ItemState(rawValue: row["state"]) ?? .pending
        return SalvagedItem(
            values: [
                Value(cacheKey), Value(originalSHA256), Value(row["facts"] as String?),
                Value(row["error"] as String?), Value(row["message"] as String?),
                .integer(row["attempts"]), .integer(row["updated_ms"]),
            ],
            item: item,
            state: state.isFinished ? state : .pending,
            cacheKey: cacheKey,
            originalSHA256: originalSHA256,
            outputs: []
        )
    }

    private func outputs(of id: Int64) throws -> [(result: OutputRecord, time: Int64)] {
        try connection.statement(
            """
            SELECT \(OutputRecord.earlierColumns), o.done_ms FROM output o JOIN recipe r USING (recipe_id)
            WHERE o.item_id = ?
            """
        ).rows(.integer(id)) { (OutputRecord($0), $0["done_ms"]) }
    }
}
