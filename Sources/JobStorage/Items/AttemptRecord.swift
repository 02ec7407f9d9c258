import SQLite

/// An attempt at an item, as recorded.
public struct AttemptRecord: Hashable, Sendable {
    /// The number of the attempt, from 1, over all generations.
    public let number: Int
    /// The set of attempts that it belongs to, from 0.
    public let generation: Int
    /// The run that made it.
    public let runID: Int64
    /// The outcome.
    public let result: AttemptResult

    static let columns = "n, generation, run_id, started_ms, ms, outcome, error, http, bytes, detail"

    init(_ row: Statement) {
        let number = { (column: Int) in row.optionalInteger(column).map { Int($0) } }
        self.number = Int(row.integer(0))
        generation = Int(row.integer(1))
        runID = row.integer(2)
        result = AttemptResult(
            started: row.integer(3),
            milliseconds: Int(row.integer(4)),
            outcome: row.text(5),
            error: row.optionalText(6),
            http: number(7),
            bytes: number(8),
            detail: row.optionalText(9)
        )
    }
}
