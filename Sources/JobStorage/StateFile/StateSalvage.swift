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
    public internal(set) var outputs: [(result: OutputResult, time: Int64)]
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
        ).rows(.integer(first), .integer(last)) { row in (row.integer(0), row.integer(1), Self.item(row)) }
        return found.compactMap { id, key, item in
            guard item.item.key == key else { return nil }
            var item = item
            item.outputs = (try? outputs(of: id)) ?? []
            return item
        }
    }

    private static func item(_ row: Statement) -> SalvagedItem {
        let item = NewItem(
            ordinal: Int(row.integer(2)),
            url: row.text(6),
            headersJSON: row.optionalText(7),
            id: row.optionalText(8),
            host: "",
            priority: Int(row.integer(4)),
            source: Int(row.integer(3)),
            varsJSON: row.optionalText(9),
            location: row.text(10),
            validator: row.optionalText(11),
            placement: row.optionalInteger(12)
        )
        let state = ItemState(rawValue: row.text(5)) ?? .pending
        return SalvagedItem(
            values: [
                Value(row.optionalText(13)), Value(row.optionalText(14)), Value(row.optionalText(15)),
                Value(row.optionalText(16)), Value(row.optionalText(17)), .integer(row.integer(18)),
                .integer(row.integer(19)),
            ],
            item: item,
            state: state.isFinished ? state : .pending,
            cacheKey: row.optionalText(13),
            originalSHA256: row.optionalText(14),
            outputs: []
        )
    }

    private func outputs(of id: Int64) throws -> [(result: OutputResult, time: Int64)] {
        try connection.statement(
            """
            SELECT \(OutputResult.earlierColumns), o.done_ms FROM output o JOIN recipe r USING (recipe_id)
            WHERE o.item_id = ?
            """
        ).rows(.integer(id)) { (OutputResult($0), $0.integer(OutputResult.columnCount)) }
    }
}
