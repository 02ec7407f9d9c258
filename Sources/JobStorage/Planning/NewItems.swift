import SQLite

/// Rows to be stored, in order and packed: their texts share one buffer.
///
/// A list has millions of rows, and an allocation for each text would take more time than to store it.
public struct NewItems: Sendable {
    /// The values of a row that are not texts.
    struct Row {
        let key: Int64
        let ordinal: Int
        /// The place of its host in `hosts`.
        let host: Int
        let source: Int
        let priority: Int
        let placement: Int64?
        /// The place of its first text in `bytes`.
        let start: Int
    }

    /// The number of texts of a row, which may lack some of them.
    private static let textCount = 8

    private(set) var rows: [Row] = []
    /// The hosts of the rows, each where it differs from that of the row before.
    private(set) var hosts: [String] = []
    /// The lengths of the texts of all rows; -1 for one that is missing.
    private var lengths: [Int] = []
    private var bytes: [UInt8] = []

    /// The number of rows.
    public var count: Int { rows.count }

    /// Creates an empty list with room for `capacity` rows.
    public init(capacity: Int = 0) {
        rows.reserveCapacity(capacity)
        lengths.reserveCapacity(capacity * Self.textCount)
        bytes.reserveCapacity(capacity * 64)
    }

    /// Packs `items`.
    init(_ items: [NewItem]) {
        self.init(capacity: items.count)
        for item in items { append(item, key: item.key) }
    }

    /// Appends a row whose `NewItem.key` is `key`.
    public mutating func append(_ item: NewItem, key: Int64) {
        if hosts.last != item.host { hosts.append(item.host) }
        let row = Row(
            key: key,
            ordinal: item.ordinal,
            host: hosts.count - 1,
            source: item.source,
            priority: item.priority,
            placement: item.placement,
            start: bytes.count
        )
        rows.append(row)
        append(item.url)
        append(item.headersJSON)
        append(item.id)
        append(item.varsJSON)
        append(item.location)
        append(item.validator)
        append(item.problem?.code)
        append(item.problem?.message)
    }

    private mutating func append(_ text: String?) {
        guard let text else { return lengths.append(-1) }
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        lengths.append(bytes.count - start)
    }

    /// The columns that `bind` fills.
    static let columns = """
        item_key, ordinal, host_id, source, priority, placement, updated_ms, url, headers_json, id, vars_json, \
        location, validator, error, message, state
        """

    static let columnCount = 16

    /// Binds the values of `columns` for row `index` to row `slot`, from 0, of a statement that inserts one or more rows.
    func bind(_ index: Int, to statement: Statement, slot: Int, hostID: Int64, now: Int64) throws(SQLiteError)
    {
        let row = rows[index]
        let first = slot * Self.columnCount + 1
        try statement.bind(first, row.key)
        try statement.bind(first + 1, Int64(row.ordinal))
        try statement.bind(first + 2, hostID)
        try statement.bind(first + 3, Int64(row.source))
        try statement.bind(first + 4, Int64(row.priority))
        try statement.bind(first + 5, row.placement)
        try statement.bind(first + 6, now)
        var start = row.start
        for text in 0..<Self.textCount {
            let length = lengths[index * Self.textCount + text]
            guard length >= 0 else {
                try statement.bind(first + 7 + text, Int64?.none)
                continue
            }
            try statement.bind(first + 7 + text, text: bytes.span.extracting(start..<start + length))
            start += length
        }
        let isGood = lengths[index * Self.textCount + 6] < 0
        try statement.bind(first + 15, constant: isGood ? "pending" : "failed")
    }
}
