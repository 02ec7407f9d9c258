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
        self.number = row["n"]
        generation = row["generation"]
        runID = row["run_id"]
        result = AttemptResult(started: row["started_ms"], milliseconds: row["ms"], outcome: row["outcome"]) {
            $0.error = row["error"]
            $0.http = row["http"]
            $0.bytes = row["bytes"]
            $0.detail = row["detail"]
        }
    }
}
