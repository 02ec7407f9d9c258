import SQLite

extension JobStore {
    /// Saves what rate limiting has learned about hosts, each by its name.
    /// - Throws: `JobStoreError`.
    public func save(_ hosts: [HostRecord]) async throws(JobStoreError) {
        guard !hosts.isEmpty else { return }
        try await write { connection in
            let statement = try connection.statement(
                """
                INSERT INTO host(name, rate, not_before_ms, fail_streak, breaker, saved_ms)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET rate = excluded.rate, not_before_ms = excluded.not_before_ms,
                    fail_streak = excluded.fail_streak, breaker = excluded.breaker, saved_ms = excluded.saved_ms
                """
            )
            for host in hosts {
                try statement.run(with: [
                    host.name, host.rate, host.notBefore, host.failStreak, host.breaker, Self.now,
                ])
            }
        }
    }
}
