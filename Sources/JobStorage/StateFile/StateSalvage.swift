import SQLite

/// The readable part of an item of a damaged state.
public struct SalvagedItem: Sendable {
    let record: ItemRecord
    let key: Int64
    let validator: String?
    let placement: Int64?
    /// The state: one of the finished states, or `pending`.
    public internal(set) var state: ItemState
    /// The key of its original in the cache.
    public var cacheKey: String? { record.cacheKey }
    /// SHA-256 of its original in hexadecimal.
    public var originalSHA256: String? { record.originalSHA256 }
    /// Its outputs and the times of their records, in milliseconds since 1970.
    public internal(set) var outputs: [(result: OutputRecord, time: Int64)] = []

    fileprivate init(_ row: Statement) {
        record = ItemRecord(row)
        (key, validator, placement) = (row["item_key"], row["validator"], row["placement"])
        state = record.state.isFinished ? record.state : .pending
    }

    /// True if the key is that of the texts.
    fileprivate var isIntact: Bool {
        let row = NewItem(ordinal: record.ordinal, url: record.url, id: record.id, host: "") {
            $0.headersJSON = record.headersJSON
        }
        return row.key == key
    }
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
            SELECT \(ItemRecord.columns), item_key, validator, placement FROM item
            WHERE item_id BETWEEN ? AND ?
            """
        ).rows(first, last) { SalvagedItem($0) }
        return found.compactMap { item in
            guard item.isIntact else { return nil }
            var item = item
            item.outputs = (try? outputs(of: item.record.itemID)) ?? []
            return item
        }
    }

    private func outputs(of id: Int64) throws -> [(result: OutputRecord, time: Int64)] {
        try connection.statement(
            """
            SELECT \(OutputRecord.earlierColumns), NULL AS shard_offset,
                NULL AS quality, NULL AS ssimulacra2, NULL AS shortfall, NULL AS format,
                o.done_ms
            FROM output o JOIN recipe r USING (recipe_id) WHERE o.item_id = ?
            """
        ).rows(id) { (OutputRecord($0), $0["done_ms"]) }
    }
}
