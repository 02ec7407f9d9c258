import SQLite

/// The failed and quarantined items of a job that no finished run has reported.
public struct NewFailures: Sendable {
    /// The number of items by error name.
    public var errors: [String: Int] = [:]
    /// The first of them, in the manifest's order.
    public var first: [ItemRecord] = []

    /// No items.
    public init() {}

    /// The number of items.
    public var count: Int { errors.values.reduce(0, +) }
}

extension JobReader {
    /// Returns the failures that no finished run has reported, with the first `limit` items.
    /// - Throws: `JobStoreError`.
    public func newFailures(limit: Int = 0) throws(JobStoreError) -> NewFailures {
        try read { connection in
            var failures = NewFailures()
            guard try Self.revision(connection) != nil else { return failures }
            failures.errors = try connection.statement(
                "SELECT error, count(*) AS count FROM \(Schema.newFailures) GROUP BY error"
            ).dictionary { ($0["error"], $0["count"]) }
            guard limit > 0, !failures.errors.isEmpty else { return failures }
            failures.first = try connection.statement(
                "SELECT \(ItemRecord.columns) FROM \(Schema.newFailures) ORDER BY ordinal, item_id LIMIT ?"
            ).rows(limit) { ItemRecord($0) }
            return failures
        }
    }
}

extension JobStore {
    /// Records that every present failure was reported: until the item is done, skipped or no longer listed, its failures
    /// are not new.
    /// - Throws: `JobStoreError`.
    public func markFailuresReported() throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute(
                """
                UPDATE item SET reported = 1
                WHERE item_id IN (SELECT item_id FROM \(Schema.newFailures))
                """
            )
        }
    }
}

extension Schema {
    /// The items that failed without a report, for `FROM`.
    fileprivate static let newFailures =
        "item INDEXED BY item_problem WHERE \(isProblem) AND state <> 'skipped' AND reported = 0"
}
