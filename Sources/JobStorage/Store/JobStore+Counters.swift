import SQLite

extension JobStore {
    /// Adds to the job's counters; returns after the commit.
    /// - Throws: `JobStoreError`.
    public func count(_ increments: CounterIncrements) async throws(JobStoreError) {
        guard !increments.isEmpty else { return }
        try await write { $0.add(increments) }
    }
}

extension Connection {
    /// Adds to the job's counters within the transaction that records what they count.
    func add(_ increments: CounterIncrements) {
        let sums = sums as? CountedTransaction ?? CountedTransaction()
        sums.increments.add(increments)
        self.sums = sums
    }
}

/// What the changes of a transaction count, each counter written once: a commit has many items, and they count alike.
private final class CountedTransaction: TransactionSums {
    var increments = CounterIncrements()

    func write(to connection: Connection) throws(SQLiteError) {
        let statement = try connection.statement(
            """
            INSERT INTO counter(name, host_class, detail, total) VALUES (?, ?, ?, ?)
            ON CONFLICT (name, host_class, detail) DO UPDATE SET total = total + excluded.total
            """
        )
        for (counter, amount) in increments.amounts {
            try statement.run(counter.name, counter.hostClass, counter.detail, amount)
        }
    }
}
