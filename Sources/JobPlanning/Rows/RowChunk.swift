import JobManifest

/// Consecutive rows of a source that are read but not parsed, which any thread can do.
protocol RowChunk: Sendable {
    /// The number of rows.
    var count: Int { get }

    /// Parses the rows, and calls `body` with each in order.
    func forEach(_ body: (Row) -> Void)
}

/// Rows that were parsed as they were read.
struct ParsedRows: RowChunk {
    /// The most rows of a chunk.
    static let most = 1000

    let rows: [Row]

    var count: Int { rows.count }

    func forEach(_ body: (Row) -> Void) { rows.forEach(body) }
}

extension RowReading {
    mutating func nextChunk() throws(SourceError) -> (any RowChunk)? {
        var rows: [Row] = []
        while rows.count < ParsedRows.most, let row = try next() { rows.append(row) }
        return rows.isEmpty ? nil : ParsedRows(rows: rows)
    }
}
