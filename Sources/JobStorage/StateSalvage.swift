import SQLite

/// An item of a damaged state, as far as it could be read.
public struct SalvagedItem: Sendable {
    /// The row, but for its key and its host.
    let values: [Value]
    let item: NewItem
    /// Where it stood: one of the finished states, or `pending`.
    public internal(set) var state: ItemState
    /// Where the cache has its original.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal.
    public let originalSHA256: String?
    /// Its outputs, and when each came to its end.
    public internal(set) var outputs: [(result: OutputResult, time: Int64)]
}

/// Reads the items of a damaged state and passes over what cannot be read.
struct StateSalvage {
    /// Rows that are read at once; those around damage are read one by one.
    private static let range: Int64 = 256

    private let connection: Connection
    /// No item has a higher id: a row takes more than 32 bytes.
    private let last: Int64

    /// Opens what is left of the file; nil where nothing of it can be read.
    init?(path: String) {
        guard let connection = try? Connection(path: path, mode: .readOnly),
            let pages = try? connection.integer("PRAGMA page_count"),
            let size = try? connection.integer("PRAGMA page_size")
        else { return nil }
        self.connection = connection
        last = (try? connection.integer("SELECT max(item_id) FROM item")) ?? pages * size / 32
    }

    /// Calls `body` with each item that can be read and is what its key says.
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
