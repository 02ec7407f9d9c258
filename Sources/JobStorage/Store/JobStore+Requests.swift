import SQLite

extension JobStore {
    /// The number of newest requests that are kept: about 100 MB.
    static let requestsKept: Int64 = 100_000

    /// Appends requests to the network log, which forgets the oldest, and adds to the job's counters; returns after the commit.
    /// - Throws: `JobStoreError`.
    public func record(
        _ requests: [RequestRecord],
        counting increments: CounterIncrements = CounterIncrements()
    ) async throws(JobStoreError) {
        let run = try currentRun()
        try await write { connection in
            let parameters = Array(repeating: "?", count: 22).joined(separator: ", ")
            let insert = try connection.statement(
                "INSERT INTO request(\(RequestRecord.columns)) VALUES (\(parameters))"
            )
            for request in requests { try insert.run(with: request.values(run: run)) }
            try connection.statement("DELETE FROM request WHERE request_id <= ?")
                .run(connection.lastInsertRowID - Self.requestsKept)
            connection.add(increments)
        }
    }
}

extension JobReader {
    /// Calls `body` with each request of the network log, in the order in which they ended, reading a page at a time.
    /// - Throws: `JobStoreError`, or what `body` throws.
    public func forEachRequest(_ body: (RequestRecord) throws -> Void) throws {
        var pages = RowPages(
            reader: self,
            query: """
                SELECT \(RequestRecord.columns), request_id FROM request
                WHERE request_id > ? ORDER BY request_id LIMIT 1000
                """,
            row: { ($0["request_id"] as Int64, RequestRecord($0)) },
            position: { [$0.0] },
            last: [0]
        )
        while let page = try pages.next() {
            for (_, request) in page { try body(request) }
        }
    }
}
