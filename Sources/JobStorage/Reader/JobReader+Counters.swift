import SQLite

/// The figures of a job's runs and hosts that metrics show.
extension JobReader {
    /// Returns all counters of the job.
    /// - Throws: `JobStoreError`.
    public func counters() throws(JobStoreError) -> [Counter: Double] {
        try read("SELECT name, host_class, detail, total FROM counter") {
            try $0.dictionary { row in
                (Counter(row["name"], hostClass: row["host_class"], detail: row["detail"]), row["total"])
            }
        }
    }

    /// Returns the classes of hosts for which anything was counted.
    /// - Throws: `JobStoreError`.
    public func countedHostClasses() throws(JobStoreError) -> Set<String> {
        try read("SELECT DISTINCT host_class FROM counter WHERE host_class <> ''") { Set(try $0.scalars()) }
    }

    /// Returns the number of ended runs by exit code; that of nil are the runs that were killed.
    /// - Throws: `JobStoreError`.
    public func endedRuns() throws(JobStoreError) -> [Int?: Int] {
        try read("SELECT exit, count(*) AS count FROM run WHERE ended_ms IS NOT NULL GROUP BY exit") {
            try $0.dictionary { ($0["exit"], $0["count"]) }
        }
    }

    /// Returns the end of the last run with this exit code, in milliseconds since 1970; nil without such a run.
    /// - Throws: `JobStoreError`.
    public func lastEnd(exit: Int) throws(JobStoreError) -> Int64? {
        try read("SELECT ended_ms FROM run WHERE exit = ? ORDER BY run_id DESC LIMIT 1") {
            try $0.scalar(exit)
        }
    }

    /// Returns the hosts that were given up, by name.
    /// - Throws: `JobStoreError`.
    public func hostsDown() throws(JobStoreError) -> [String] {
        try read("SELECT name FROM host WHERE breaker = 'down' ORDER BY name") { try $0.scalars() }
    }

    /// Returns the names of up to `limit` hosts, those with the most items first, and true for `isAll` if the job has no more.
    ///
    /// The items of a job with more hosts are estimated from 10,000 of them, spread evenly over the table.
    /// - Throws: `JobStoreError`.
    public func busiestHosts(limit: Int) throws(JobStoreError) -> (names: [String], isAll: Bool) {
        try read { connection in
            let some: [String] = try connection.statement(
                "SELECT name FROM host WHERE name <> '' ORDER BY host_id LIMIT ?"
            ).scalars(limit + 1)
            guard some.count > limit else { return (some, true) }
            let busiest: [String] = try connection.statement(
                """
                WITH RECURSIVE
                    step(size) AS (SELECT ((SELECT max(item_id) FROM item) + 9999) / 10000),
                    sample(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM sample WHERE n < 9999)
                SELECT h.name FROM sample CROSS JOIN step CROSS JOIN item i ON i.item_id = 1 + n * size
                    JOIN host h USING (host_id)
                WHERE i.listed = 1 AND h.name <> '' GROUP BY h.name ORDER BY count(*) DESC, h.name LIMIT ?
                """
            ).scalars(limit)
            return (busiest, false)
        }
    }
}
