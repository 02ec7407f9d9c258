import SQLite

extension JobStore {
    /// Adds to the job's counters; returns after the commit.
    /// - Throws: `JobStoreError`.
    public func count(_ increments: CounterIncrements) async throws(JobStoreError) {
        guard !increments.isEmpty else { return }
        try await write { try $0.add(increments) }
    }
}

extension Connection {
    /// Adds to the job's counters within the transaction that records what they count.
    func add(_ increments: CounterIncrements) throws(SQLiteError) {
        guard !increments.isEmpty else { return }
        let statement = try statement(
            """
            INSERT INTO counter(name, host_class, detail, total) VALUES (?, ?, ?, ?)
            ON CONFLICT (name, host_class, detail) DO UPDATE SET total = total + excluded.total
            """
        )
        for (counter, amount) in increments.amounts {
            try statement.run(
                .text(counter.name),
                .text(counter.hostClass),
                .text(counter.detail),
                Value(amount)
            )
        }
    }
}
